"""Who else works on a survey."""
