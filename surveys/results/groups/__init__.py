"""The tab that compares groups."""
