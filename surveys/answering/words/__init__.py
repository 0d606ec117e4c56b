"""The sentences of respondents' pages: the promise, designs, real coins, the practice, and what was sent."""
