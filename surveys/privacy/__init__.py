"""How chance is added, and what it costs."""
