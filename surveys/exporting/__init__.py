"""Files, programs that recompute, ethics packet."""
