"""What the facade's verbs do, a module for each kind: each takes the engine and plain arguments."""
