"""Representations that survive a change of domain (Huang and Yates 2012)."""
