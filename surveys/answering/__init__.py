"""The respondent: promise, practice, the steps of each question, what is sent, the receipt."""
