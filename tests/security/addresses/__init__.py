"""The table of addresses: one file an area, each with its ROWS; tests/security/test_addresses.py tries them all."""
