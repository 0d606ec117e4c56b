"""What accounts write: emails, signing in, signing up, credentials."""
