"""What can be learned from randomized reports."""
