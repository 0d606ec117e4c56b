"""Signing in and up, second factors, passwords, the account's own page."""
