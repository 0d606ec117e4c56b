"""What every room uses."""
