"""What answering writes: what arrived, and what a server's coin or a coin of one's own perturbs."""
