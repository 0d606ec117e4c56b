"""Pages of results: one file a tab; what they share is in tabs.py."""
