"""Who may do what with a survey."""
