"""The lab: each idea a page with one picture that moves, on simulated people, computed by the product's own core."""
