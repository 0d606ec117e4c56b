"""How numbers and intervals are written."""
