"""What instructors see: one folder a tab, and what they share."""
