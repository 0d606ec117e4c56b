"""Answers as they are stored and counted, and disclosure control."""
