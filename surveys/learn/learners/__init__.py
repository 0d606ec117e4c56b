"""Private learners that no release uses, for simulated people: exact ones, and published ones with real numbers."""
