"""The respondent: promise, practice, answers, receipt."""
