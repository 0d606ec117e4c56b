"""Housekeeping, writing backups, and restoring them."""
