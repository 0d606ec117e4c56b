"""A hypothesis strategy that makes designs with every constructor."""

from fractions import Fraction

from hypothesis import strategies as st

from surveys.privacy.designs import (
    Design,
    UnaryDesign,
    crosswise,
    forced_response,
    from_matrix,
    k_ary,
    k_ary_at,
    kuk,
    mangat,
    triangular,
    unrelated_question,
    warner,
)

HALF = Fraction(1, 2)
proper = st.fractions(min_value=Fraction(1, 50), max_value=Fraction(49, 50), max_denominator=50)
lopsided = proper.filter(lambda p: p != HALF)
share = st.fractions(min_value=0, max_value=1, max_denominator=50)
_pairs_apart = st.tuples(proper, proper).filter(lambda pair: pair[0] != pair[1])
_columns = st.lists(st.integers(1, 9), min_size=3, max_size=3)


def _from_columns(columns: list[list[int]]) -> Design:
    return from_matrix(
        zip(*([Fraction(entry, sum(column)) for entry in column] for column in columns), strict=True),
    )


def _determinant(columns: list[list[int]]) -> int:
    (a, b, c), (d, e, f), (g, h, i) = columns
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _parallel(columns: list[list[int]]) -> bool:
    (a, b, c), (d, e, f) = columns
    return a * e == b * d and a * f == c * d and b * f == c * e


designs: st.SearchStrategy[Design] = st.one_of(
    st.builds(forced_response, proper, share),
    st.builds(warner, lopsided),
    st.builds(mangat, proper),
    st.builds(unrelated_question, proper, share),
    st.builds(crosswise, lopsided),
    st.builds(triangular, proper),
    st.builds(lambda decks, draws: kuk(*decks, draws), _pairs_apart, st.integers(1, 4)),
    st.builds(k_ary, st.integers(2, 6), proper),
    st.builds(
        lambda truth, parts: k_ary(len(parts), truth, [Fraction(part, sum(parts)) for part in parts]),
        proper,
        st.lists(st.integers(1, 9), min_size=2, max_size=6),
    ),
    st.builds(k_ary_at, st.fractions(Fraction(1, 10), 5, max_denominator=100), st.integers(2, 6)),
    st.builds(lambda k, pair: UnaryDesign(k, max(pair), min(pair)).design, st.integers(2, 4), _pairs_apart),
    st.builds(_from_columns, st.lists(_columns, min_size=3, max_size=3).filter(_determinant)),
    st.builds(_from_columns, st.lists(_columns, min_size=2, max_size=2).filter(lambda two: not _parallel(two))),
)
