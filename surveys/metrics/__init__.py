"""Numbers about the server for its operator: none about a survey, a person or a single request."""
