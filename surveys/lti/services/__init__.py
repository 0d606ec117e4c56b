"""What the tool writes and sends: launches, its keys, scores, registrations."""
