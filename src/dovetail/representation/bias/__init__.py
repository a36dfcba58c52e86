"""Properties that a representation should have little of, a file a property."""
