"""The tab that says how every figure is computed."""
