"""A survey's own page and its life from draft to purged; the list of surveys."""
