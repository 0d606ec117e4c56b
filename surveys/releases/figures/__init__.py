"""Numbers of releases put together for a page."""
