"""Bringing a survey to its respondents: links, posters, groups, invitations, the presentation."""
