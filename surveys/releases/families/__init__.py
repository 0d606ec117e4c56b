"""What mechanisms are made of: what each offers, asks, finds and says, by family."""
