"""The estimates of a survey's questions, put together for pages."""
