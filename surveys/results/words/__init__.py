"""The words of results that more than one tab has."""
