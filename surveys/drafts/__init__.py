"""Surveys being written, their versions, and what deleting destroys."""
