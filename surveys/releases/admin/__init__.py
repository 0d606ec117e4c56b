"""The admin's pages of releases: asking, confirming, publishing."""
