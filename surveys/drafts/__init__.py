"""Surveys being written, their versions and groups."""
