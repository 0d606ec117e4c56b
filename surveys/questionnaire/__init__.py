"""What respondents read and estimators need."""
