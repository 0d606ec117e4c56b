"""What people post, checked before anything else sees it."""
