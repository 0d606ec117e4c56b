"""Results on the wall while a class answers."""
