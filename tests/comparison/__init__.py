"""Holds every page, file, message and row against those of an earlier state of the code."""
