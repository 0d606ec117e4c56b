"""The admin pages of releases."""
