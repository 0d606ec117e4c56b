"""Surveys as JSON, from XLSForms and from templates."""
