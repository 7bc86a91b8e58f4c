"""The laws by which memories change, one a module: frozen parameters with bounds, then functions over columns."""
