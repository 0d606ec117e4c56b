"""Words of releases."""
