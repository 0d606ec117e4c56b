"""How two randomized questions, or several groups, relate."""
