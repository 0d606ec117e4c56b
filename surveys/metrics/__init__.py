"""Numbers about the server for whoever runs it: none about a survey, a person or a single request."""
