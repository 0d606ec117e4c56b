"""Deniable: surveys whose respondents can always deny what was reported."""
