"""All keys of a recipe, each written once: its type, its default, and what it is.

A module for each table. Defaults of what is a parameter of an estimator come from its signature.
"""
