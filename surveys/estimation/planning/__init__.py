"""How precise and how decisive a survey will be, before it is run."""

from surveys.estimation.planning.precision import expected_half_width, sample_size

__all__ = ["expected_half_width", "sample_size"]
