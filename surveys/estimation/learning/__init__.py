"""Models learned from one released joint table: everything here is made from published numbers and costs no more."""
