"""Releases with central privacy: the mechanisms, one object each."""
