"""The tab of respondents' beliefs."""
