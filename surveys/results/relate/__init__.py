"""The tab that relates two questions."""
