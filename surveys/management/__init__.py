"""What is run from the command line."""
