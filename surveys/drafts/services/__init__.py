"""What is written of drafts: surveys, copies and groups."""
