"""A survey's own page, the list of surveys, and the course from draft to purged."""
