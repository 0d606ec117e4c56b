"""Writes: keyword-only, atomic, and the only way anything changes."""
