"""The rules of the linter, one file a subject."""
