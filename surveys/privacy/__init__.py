"""How answers are randomized, and what that costs."""
