"""What is wrong with a survey before it opens."""
