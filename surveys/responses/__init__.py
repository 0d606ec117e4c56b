"""Answers as they are stored: tally, cells, snapshot, folding, and the one rule of small numbers."""
