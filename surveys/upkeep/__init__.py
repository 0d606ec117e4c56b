"""Keeping a server in order: backups and what brings them back, what is wrong with a machine, which version runs."""
