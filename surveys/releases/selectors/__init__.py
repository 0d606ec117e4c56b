"""Reading releases and their budget."""
