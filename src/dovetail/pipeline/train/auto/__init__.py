"""Training ``auto``: a pool of models for the last task, selected by cross-validation."""
