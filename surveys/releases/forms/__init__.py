"""What is asked for on the way to a release: the questions, the terms, and that they are confirmed."""
