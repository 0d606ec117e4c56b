"""How randomized answers depend on other variables, and others on them."""
