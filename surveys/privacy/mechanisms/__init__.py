"""Central mechanisms: one file each, exact draws, no float ever added to data."""
