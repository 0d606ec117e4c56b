"""The tool that course platforms launch (LTI 1.3): credit for a receipt, and a link for a course."""
