"""Words and small pictures for templates."""
