"""What instructors meet: signing in, the editor, opening and closing, sharing, results."""
