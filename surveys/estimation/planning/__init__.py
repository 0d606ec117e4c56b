"""How precise and how decisive a survey will be, before it is run."""
