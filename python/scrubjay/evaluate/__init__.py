"""Evaluation that can be trusted: does this memory find what is asked, and does it know what no longer holds?"""
