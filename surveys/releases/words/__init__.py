"""Every sentence about a release."""
