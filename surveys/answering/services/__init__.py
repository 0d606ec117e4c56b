"""What answering writes: accepted submissions, and the randomization that a server does for somebody."""
