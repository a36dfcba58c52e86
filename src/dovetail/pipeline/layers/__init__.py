"""What a pipeline is made of: kinds of annotators, one a file, and the order they stand in."""
