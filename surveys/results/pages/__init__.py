"""What each tab of the results shows."""
