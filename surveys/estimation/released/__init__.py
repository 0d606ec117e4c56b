"""What releases say about the true answers: estimates and intervals for both kinds of randomness, reports and noise."""
