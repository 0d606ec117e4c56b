"""What accounts write: mails, signing in, signing up, credentials."""
