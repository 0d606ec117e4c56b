"""Words of what respondents are told."""
