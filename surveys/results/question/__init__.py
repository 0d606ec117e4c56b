"""The tab of one question."""
