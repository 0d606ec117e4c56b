"""Confidence intervals: for a binomial proportion, and by way of it or of the likelihood for a prevalence."""
