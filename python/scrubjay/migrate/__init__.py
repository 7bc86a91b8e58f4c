"""Memories of other systems, read as they are and told in scrubjay's words. Nothing here writes to a store."""
