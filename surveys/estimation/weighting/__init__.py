"""Weights: what they are made of, and what they do to the estimates from randomized reports."""
