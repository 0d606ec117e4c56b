"""Holds every page, file, message and row of the code against those of an earlier state: `python -m tests.comparison`."""
