"""Folding answers into counts, and destroying them."""
