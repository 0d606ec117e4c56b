"""The budget, and every charge to it."""
