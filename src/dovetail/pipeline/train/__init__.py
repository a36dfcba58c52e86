"""Training of a pipeline's layers; it gives a result, and changes nothing that it is given."""
