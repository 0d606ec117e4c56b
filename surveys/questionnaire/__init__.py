"""What respondents are told and estimators need."""
