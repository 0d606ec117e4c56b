"""Access tokens: what programs read a survey's exports with."""
