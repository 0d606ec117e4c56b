"""Writing a survey: questions, settings, preview."""
