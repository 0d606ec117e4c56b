"""What a database holds, which program this is, and what is wrong around it."""
