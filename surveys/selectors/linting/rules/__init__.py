"""The rules, a family a file: each yields findings about one question, or about the survey."""
