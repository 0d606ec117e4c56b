"""The tab that weights respondents to what is known of the population."""
