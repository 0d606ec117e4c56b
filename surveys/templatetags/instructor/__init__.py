"""Words of instructors' pages."""
