"""21 November 2026: the same to readers on both sides of the Atlantic, and in the order that the others use."""

DATE_FORMAT = "j F Y"
DATETIME_FORMAT = "j F Y, H:i"
