"""Accounts: signing up, in and out; passwords; the second factor."""
