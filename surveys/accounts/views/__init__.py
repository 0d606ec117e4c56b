"""The pages of signing in, signing up and the account."""
