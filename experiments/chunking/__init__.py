"""Chunks with auxiliary tasks, and feature nets into a CRF (He et al. 2009)."""
