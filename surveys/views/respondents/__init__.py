"""The pages of respondents."""
