"""Signing in and up, second factors, passwords."""
