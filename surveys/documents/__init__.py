"""Surveys as JSON, as XLSForm and as templates."""
