"""Files: written whole or not at all, the model file, and one loader for all kinds of models."""
