"""One answer of several as a question with two answers."""

from fractions import Fraction

import pytest

from surveys.privacy.designs import against_rest, forced_response, from_matrix, k_ary, kuk, triangular, warner


@pytest.mark.parametrize("weights", [None, ["1/2", "1/3", "1/6"], ["1/2", "1/2", "0"]])
@pytest.mark.parametrize("option", [0, 1, 2])
def test_of_many_answers_the_chance_of_this_report_is_what_the_matrix_says(
    weights: list[str] | None, option: int
) -> None:
    design = k_ary(3, "2/3", weights)
    merged = against_rest(design, option)
    row = design.matrix[option]
    assert merged.offset == row[option - 1]
    assert merged.offset + merged.slope == row[option]
    # However the others are spread, this report is as probable as in the design itself.
    prior = [Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)]
    rest = 1 - prior[option]
    assert merged.offset * rest + row[option] * prior[option] == sum(p * q for p, q in zip(row, prior, strict=True))


@pytest.mark.parametrize("design", [forced_response(), warner("1/4"), triangular("1/4")])
def test_with_two_answers_it_is_the_design_or_its_mirror_image(design: object) -> None:
    assert against_rest(design, 1) is design  # type: ignore[arg-type]
    mirrored = against_rest(design, 0)  # type: ignore[arg-type]
    assert mirrored.matrix == tuple(row[::-1] for row in design.matrix[::-1])  # type: ignore[attr-defined]


def test_a_report_that_depends_on_which_other_is_true_is_refused() -> None:
    design = from_matrix([["1/2", "1/4", "1/8"], ["1/4", "1/2", "1/8"], ["1/4", "1/4", "3/4"]])
    assert against_rest(design, 2).matrix[1] == (Fraction(1, 4), Fraction(3, 4))
    with pytest.raises(ValueError, match="option 0 is"):
        against_rest(design, 0)


def test_more_reports_than_truths_are_refused() -> None:
    with pytest.raises(ValueError, match="4 and 2"):
        against_rest(kuk("0.7", "0.2", 3), 1)


def test_only_its_own_options_exist() -> None:
    with pytest.raises(ValueError, match="option must be"):
        against_rest(forced_response(), 2)
