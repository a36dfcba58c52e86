"""Published experiments, done again with one command each on data that can be had."""
