"""The tab of logistic regression."""
