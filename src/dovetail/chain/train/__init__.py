"""How a chain is trained: the problem, its objective, the methods that minimise it."""
