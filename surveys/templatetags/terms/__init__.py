"""Terms explained in place."""
