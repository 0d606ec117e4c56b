"""A survey answered by simulated people, beside what is true of them."""
