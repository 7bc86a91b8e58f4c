"""The graph of memories: which edges are made, how they fold, and what a hop over them brings."""
