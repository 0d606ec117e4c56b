"""Two shares from two groups that are asked with different probabilities."""
