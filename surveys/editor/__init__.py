"""Writing a survey: its questions, their settings, the preview."""
