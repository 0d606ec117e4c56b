"""What a central release reveals about true answers that were randomized locally before.

Reports are a-private for the truth, a release is (b, δ)-private for the reports. For one event of the release let w_j
be its probability when the respondent's report is j, so that w_i ≤ e^b·w_j + δ. Two true answers with report
probabilities u and v differ by Σ(u_j − e^f·v_j)·w_j. With S the reports where u_j > e^f·v_j, s = u(S), t = v(S) and ω
the smallest w outside S, that is at most

    (s − e^f·t)(e^b·ω + δ) − (e^f(1 − t) − (1 − s))·ω = (s − e^f·t)·δ + ω·[(e^b − 1)(s − e^f·t) − (e^f − 1)].

a-privacy allows s ≤ e^a·t and 1 − t ≤ e^a(1 − s), under which s − e^f·t is largest at s = p = e^a/(1 + e^a), t = 1 − p.
The bracket is 0 there exactly if e^f = (1 + e^(a+b))/(e^a + e^b), that is tanh(f/2) = tanh(a/2)·tanh(b/2), and what is
left is δ' = (p − e^f(1 − p))·δ. Two answers attain both: w = e^b·ω on S, or w = δ on S and 0 elsewhere. A uniform k-ary
report has s = e^a/(e^a + k − 1) and t = s/e^a for S = {the truth}, and only there u_j > v_j, which gives a smaller f.
"""

from fractions import Fraction

from surveys.privacy.decimals import (
    HUGE,
    decimal,
    expm1,
    float_not_below,
    log1p,
    many_digits,
    nonnegative,
    share,
    upper,
)
from surveys.privacy.rationals import whole_number


def local_then_central(local_epsilon: float, central_epsilon: float | Fraction) -> float:
    """Return what a release reveals about the *true answers*, when it is made from randomized reports.

    Reports are local_epsilon-private for the truth and the release is central_epsilon-private for the reports.
    For the truth the release then is f-private with tanh(f/2) = tanh(local/2)·tanh(central/2), which two answers
    attain; any other design with this local epsilon is at most f-private. It is rounded up.

    Parameters
    ----------
    local_epsilon : float
        Of one response's reports; `math.inf` where they prove an answer.
    central_epsilon : float or Fraction
        Of all releases together: compose these first.

    Returns
    -------
    float
        f, in nats.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> import math
    >>> from surveys.privacy import local_then_central
    >>> round(local_then_central(math.log(3), 1), 4)
    0.4706
    """
    return local_then_central_k_ary(local_epsilon, central_epsilon, 2)


def local_then_central_k_ary(local_epsilon: float, central_epsilon: float | Fraction, k: int) -> float:
    """Return the same for one k-ary report with a uniform spinner, where it is smaller.

    With a and b the two epsilons, f = ln((e^(a+b) + k − 1)/(e^a + e^b + k − 2)).

    Parameters
    ----------
    local_epsilon, central_epsilon
        As of `local_then_central`.
    k : int
        The number of answers.

    Returns
    -------
    float
        f, in nats.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> import math
    >>> from surveys.privacy import local_then_central_k_ary
    >>> round(local_then_central_k_ary(math.log(9), 1, 4), 4)
    0.6942
    """
    _refuse(local_epsilon, central_epsilon, k)
    small, large = sorted((local_epsilon, central_epsilon))
    if large > HUGE:
        return float_not_below(small)
    with many_digits():
        a, b = decimal(small), decimal(large)
        # The quotient less 1, which loses no digits where the epsilons are small.
        gained = expm1(a) * expm1(b) / (a.exp() + b.exp() + k - 2)
        return min(float_not_below(small), upper(log1p(gained)))


def local_then_central_delta(
    local_epsilon: float, central_epsilon: float | Fraction, central_delta: float | Fraction, k: int = 2
) -> float:
    """Return the δ' that belongs to the f of a release that is (central_epsilon, central_delta)-private.

    With p = e^a/(e^a + k − 1) it is (p − e^f(1 − p)/(k − 1))·δ = δ(e^a − 1)/(e^a + e^b + k − 2), never above the
    central δ, and rounded up.

    Parameters
    ----------
    local_epsilon : float
        a, of one response's reports.
    central_epsilon, central_delta : float or Fraction
        b and δ, of all releases together: compose these first.
    k : int, optional
        2 for any design with this local epsilon, as in `local_then_central`; more only for one k-ary report with a
        uniform spinner, as in `local_then_central_k_ary`.

    Returns
    -------
    float
        δ′, from 0 to 1.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> import math
    >>> from surveys.privacy import local_then_central_delta
    >>> local_then_central_delta(math.log(3), 1, 1e-6) < 1e-6
    True
    """
    _refuse(local_epsilon, central_epsilon, k)
    with many_digits():
        delta = share(central_delta, "central_delta")
        if local_epsilon > HUGE:
            return float_not_below(central_delta)
        a, b = decimal(local_epsilon), decimal(min(central_epsilon, HUGE))
        return min(float_not_below(central_delta), upper(delta * expm1(a) / (a.exp() + b.exp() + k - 2)))


def _refuse(local_epsilon: float, central_epsilon: float | Fraction, k: int) -> None:
    nonnegative(local_epsilon, "local_epsilon")
    nonnegative(central_epsilon, "central_epsilon")
    whole_number(k, "k", 2)
