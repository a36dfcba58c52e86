"""Hidden Markov models whose posterior is biased by properties (posterior regularisation)."""
