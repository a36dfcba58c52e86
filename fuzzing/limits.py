"""What an input may take: seconds, and megabytes."""

SLOWEST, MEMORY = 5, 1024
