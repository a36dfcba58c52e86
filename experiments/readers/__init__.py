"""Readers of particular data sets; those of formats are in dovetail.corpus."""
