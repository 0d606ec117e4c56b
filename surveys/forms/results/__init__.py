"""What the query strings of results pages ask for, one file a tab."""
