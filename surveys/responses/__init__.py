"""Answers as stored, and the rule of small numbers."""
