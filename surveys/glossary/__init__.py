"""The explained terms."""
