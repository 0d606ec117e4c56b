"""How chance is added, and what it costs: pure mathematics that knows no Django."""
