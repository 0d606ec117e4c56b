"""What a central release tells about truths that were randomized locally before."""

import math
from fractions import Fraction


def local_then_central(local_epsilon: float, central_epsilon: float | Fraction) -> float:
    """Return what a release tells about the *truths*, when it is made from randomized reports.

    Reports are local_epsilon-private for the truth and the release is central_epsilon-private for the reports.
    For the truth the release then is f-private with tanh(f/2) = tanh(local/2)·tanh(central/2), which two answers
    attain; any other design with this local epsilon is at most f-private.

    Parameters
    ----------
    local_epsilon : float
        Of one respondent's reports; `math.inf` where they prove an answer.
    central_epsilon : float or Fraction
        Of all releases together: compose these first.
    """
    return local_then_central_k_ary(local_epsilon, central_epsilon, 2)


def local_then_central_k_ary(local_epsilon: float, central_epsilon: float | Fraction, k: int) -> float:
    """Return the same for one k-ary report with a uniform spinner, where it is smaller.

    With a and b the two epsilons, f = ln((e^(a+b) + k − 1)/(e^a + e^b + k − 2)).
    """
    if not k >= 2:
        raise ValueError(f"k must be at least 2, got {k!r}")
    central_epsilon = float(central_epsilon)
    if not (local_epsilon >= 0 and central_epsilon >= 0):
        raise ValueError(f"epsilons must be at least 0, got {local_epsilon!r} and {central_epsilon!r}")
    small, large = sorted((local_epsilon, central_epsilon))
    if large == math.inf:
        return small
    # The quotient less 1 is (e^a − 1)(e^b − 1)/(e^a + e^b + k − 2). Divided by the large exponentials, neither
    # overflows; by way of expm1 and log1p, small epsilons lose no digits.
    gained = math.expm1(-small) * math.expm1(-large) / (1 + math.exp(small - large) + (k - 2) * math.exp(-large))
    if small < 1:
        return min(small, math.log1p(math.exp(small) * gained))
    return min(small, small + math.log(gained + math.exp(-small)))
