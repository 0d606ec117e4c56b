"""Credit for taking part: receipts that are signed blindly, so that nobody can match one with a response."""
