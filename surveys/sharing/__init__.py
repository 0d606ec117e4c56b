"""Links, groups, invitations, posters."""
