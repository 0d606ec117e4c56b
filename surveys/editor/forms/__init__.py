"""The fields of a survey and of its questions."""
