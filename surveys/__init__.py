"""Deniable: surveys whose respondents can always deny what was reported."""

__version__ = "0.1.0"
