"""The words of a question’s page."""
