"""Models that learn from what is labelled, and what they suggest and ask."""
