"""What several guarantees come to together."""
