"""Regression on randomized reports."""
