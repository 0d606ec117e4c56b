"""What several mechanisms share: noisy counts, choices by scores, sums, medians, tests that may refuse."""
