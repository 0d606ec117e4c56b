"""Drawing releases and publishing them."""
