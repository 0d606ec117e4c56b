"""The formulas and sentences of the methods."""
