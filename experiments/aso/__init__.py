"""Alternating structure optimisation where there is little labelled text."""
