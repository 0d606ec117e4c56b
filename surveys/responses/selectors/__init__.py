"""Reading what is stored: tally, cells, snapshots, and what may be told apart."""
