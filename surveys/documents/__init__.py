"""Surveys as JSON, as XLSForm and as templates to begin with."""
