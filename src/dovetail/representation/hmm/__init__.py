"""Hidden Markov models over words: parameters, EM, and models of several layers."""
