"""A survey's own page, from draft to purged."""
