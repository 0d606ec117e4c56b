"""What respondents are told, by design."""
