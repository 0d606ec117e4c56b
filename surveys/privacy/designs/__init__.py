"""Randomized response designs: each is one matrix Pr(report | truth) of exact Fractions."""

from surveys.privacy.designs.design import Design, from_matrix
from surveys.privacy.designs.k_ary import k_ary
from surveys.privacy.designs.registry import named
from surveys.privacy.designs.two_answer import forced_response, warner

__all__ = ["Design", "forced_response", "from_matrix", "k_ary", "named", "warner"]
