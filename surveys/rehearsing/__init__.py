"""Simulated people, beside what is true of them."""
