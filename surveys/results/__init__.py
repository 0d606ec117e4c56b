"""What instructors see: a folder a tab."""
