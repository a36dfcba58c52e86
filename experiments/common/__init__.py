"""What all experiments share: data sets, studies of systems, the runner and the command."""
