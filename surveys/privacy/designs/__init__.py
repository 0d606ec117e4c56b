"""Randomized response designs: each is one matrix Pr(report | truth) of exact Fractions."""

from surveys.privacy.designs.against_rest import against_rest
from surveys.privacy.designs.design import Design, from_matrix
from surveys.privacy.designs.family import DesignFamily
from surveys.privacy.designs.grid import GridMean, OutsideLimitsError, number_window
from surveys.privacy.designs.innocuous import crosswise, triangular, unrelated_question
from surveys.privacy.designs.k_ary import LARGEST_K, k_ary, k_ary_at
from surveys.privacy.designs.kuk import kuk
from surveys.privacy.designs.odds import total_epsilon
from surveys.privacy.designs.plain import direct
from surveys.privacy.designs.registry import families, family_of, grid_of, named, probability_of, register, unregister
from surveys.privacy.designs.scrambling import scrambled_mean, scrambled_number, with_chance
from surveys.privacy.designs.two_answer import forced_response, mangat, warner
from surveys.privacy.designs.unary import (
    UnaryDesign,
    each_option_at,
    epsilon_of_one,
    odds_of_one,
    optimized_unary,
    symmetric_unary,
)
from surveys.privacy.designs.unrelated_number import unrelated_mean, unrelated_number

__all__ = [
    "LARGEST_K",
    "Design",
    "DesignFamily",
    "GridMean",
    "OutsideLimitsError",
    "UnaryDesign",
    "against_rest",
    "crosswise",
    "direct",
    "each_option_at",
    "epsilon_of_one",
    "families",
    "family_of",
    "forced_response",
    "from_matrix",
    "grid_of",
    "k_ary",
    "k_ary_at",
    "kuk",
    "mangat",
    "named",
    "number_window",
    "odds_of_one",
    "optimized_unary",
    "probability_of",
    "register",
    "scrambled_mean",
    "scrambled_number",
    "symmetric_unary",
    "total_epsilon",
    "triangular",
    "unregister",
    "unrelated_mean",
    "unrelated_number",
    "unrelated_question",
    "warner",
    "with_chance",
]
