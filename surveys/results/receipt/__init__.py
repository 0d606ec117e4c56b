"""The result as those who answered see it, where whoever asks shows it to them."""
