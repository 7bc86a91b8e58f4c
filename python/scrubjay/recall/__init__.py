"""From a query to ranked memories: factors, weights, candidates."""
