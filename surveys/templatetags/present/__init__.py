"""Words of presentations."""
