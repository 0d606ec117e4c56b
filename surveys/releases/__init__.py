"""Results with noise for the public, and their budget."""
