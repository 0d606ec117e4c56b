"""Reading what is stored: tallies, cells and snapshots."""
