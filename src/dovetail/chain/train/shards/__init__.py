"""Training on text that memory does not hold: parts of it on disk, worked on one by one."""
