"""Words and formulas of results."""
