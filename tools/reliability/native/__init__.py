"""Mistakes made on purpose in the native code."""
