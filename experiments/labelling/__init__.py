"""What labelling costs, by ways of being helped."""
