"""10,000: Django's own Hebrew marks no thousands."""

NUMBER_GROUPING = 3
