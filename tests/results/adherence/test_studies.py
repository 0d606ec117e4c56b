"""How often the limits of what corrects for those who do not follow hold the truth, over 2,000 studies each."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from surveys.results.figures.adherence import anchored_finding, attention_points, fixed_reports, mirrored_arms
from surveys.results.figures.questions import FigureOptions, question_result
from tests.factories import crosswise, triangular
from tests.results.studied import Ask, Studied, both_arms, held_as_said, holds, shares_held

pytestmark = [pytest.mark.django_db, pytest.mark.studies]
WANTED = FigureOptions()


def _fact(who: str) -> dict[str, Any]:
    details = {"innocuous": f"Was your {who} born in January to March?", "innocuous_source": "Births by month: 1 of 4."}
    return {"details": details, "leave_out": "no"}


@pytest.mark.parametrize(("ask", "turned"), [(crosswise, [3, 4]), (triangular, [1, 2])])
def test_mirrored_arms_and_how_often_they_are_called_unlike(ask: Ask, turned: list[int]) -> None:
    studied = Studied.of(*both_arms(ask, ask, _fact("mother"), _fact("aunt") | {"parameters": {"p": turned}}), arms=2)

    def study(one_sayers: float = 0.0) -> Sequence[bool]:
        sent = [studied.sent(number, studied.have(0.3, 400)) for number in (1, 2)]
        for reports in sent:
            reports[studied.generator.random(400) < one_sayers] = 0
        definition, snapshot = studied.told([sent[0], None], [None, sent[1]])
        results = [question_result(question, snapshot, WANTED) for question in definition.questions]
        mirrored = mirrored_arms(definition.questions[0], results, WANTED.confidence_level)
        return [mirrored is not None and holds(mirrored, 0.3), mirrored is not None and mirrored.p_value > 0.05]

    held_as_said(study)
    assert shares_held(lambda: study(0.25), 200)[1] < 0.8


def _with_anchor() -> Studied:
    anchor = crosswise("Have you been to the moon?", **_fact("father"))
    return Studied.of(crosswise(**_fact("mother")), anchor)


def test_an_anchor_corrects_for_those_who_tap_at_random() -> None:
    studied = _with_anchor()

    def study() -> Sequence[bool]:
        attend = [studied.have(0.75, 1_000) for _question in range(2)]
        sent = [studied.sent(1, studied.have(0.15, 1_000)), studied.sent(2, np.zeros(1_000, dtype=np.int64))]
        random = studied.have(0.5, 1_000), studied.have(0.5, 1_000)
        both = [np.where(here, asked, other) for here, asked, other in zip(attend, sent, random, strict=True)]
        definition, snapshot = studied.told(both)
        item, other = (question.first for question in definition.questions)
        finding = anchored_finding(item, other, Fraction(0), snapshot, WANTED)
        uncorrected.append(holds(finding.uncorrected, 0.15))
        return [holds(finding.corrected, 0.15), holds(finding.attentive, 0.75)]

    uncorrected: list[bool] = []
    held_as_said(study)
    assert np.mean(uncorrected) < 0.7


def test_the_curve_holds_where_the_share_of_followers_is_right() -> None:
    studied = _with_anchor()

    def study() -> Sequence[bool]:
        sent = np.where(studied.have(0.75, 800), studied.sent(1, studied.have(0.15, 800)), studied.have(0.5, 800))
        definition, snapshot = studied.told([sent, sent])
        points = attention_points(question_result(definition.questions[0], snapshot, WANTED), WANTED)
        by_share = {point.attentive: holds(point, 0.15) for point in points}
        everybody.append(by_share[Fraction(1)])
        return [by_share[Fraction(3, 4)]]

    everybody: list[bool] = []
    held_as_said(study)
    assert np.mean(everybody) < 0.7


def test_fixed_reports_and_the_share_of_yes_among_the_others() -> None:
    # Of two questions: of three, whose limits take two seconds a study, the core's own studies are.
    studied = Studied.of(*(crosswise(f"Have you ever robbed a {who}?", **_fact(who)) for who in ("mother", "aunt")))
    shares = (0.3, 0.4)

    def study() -> Sequence[bool]:
        same = studied.have(0.2, 1_200)
        sent = [
            np.where(same, 0, studied.sent(number, studied.have(share, 1_200)))
            for number, share in enumerate(shares, start=1)
        ]
        definition, snapshot = studied.told(sent)
        fixed = fixed_reports(definition.items, [0, 0], snapshot, WANTED.confidence_level)
        assert fixed.headline
        plainly = question_result(definition.questions[0], snapshot, WANTED).first.options[1]
        uncorrected.append(holds(plainly, shares[0]))
        return [
            holds(fixed.headline, 0.2),
            *(holds(other, share) for other, share in zip(fixed.others, shares, strict=True)),
        ]

    uncorrected: list[bool] = []
    held_as_said(study)
    assert np.mean(uncorrected) < 0.9
