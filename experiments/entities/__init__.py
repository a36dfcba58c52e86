"""Names and nominals of entities, from names in news (Sutton and McCallum 2005)."""
