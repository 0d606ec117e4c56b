"""The tab of precision: how many respondents, with which design."""
