"""The pages of respondents, and the doors before them."""
