"""What one gets from 10 to 300 labelled sequences, beside other tools."""
