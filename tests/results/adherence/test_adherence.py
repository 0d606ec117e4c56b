"""Who follows a procedure in the head: every number of the pages is the core's, and the truth is in what they print."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from django.http import QueryDict

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, seal_survey
from surveys.estimation.adherence.anchor import estimate_anchored
from surveys.estimation.adherence.arms import estimate_arms, estimate_extended_crosswise
from surveys.estimation.adherence.attention import attention_curve
from surveys.estimation.adherence.fixed_reports import estimate_fixed_reports
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.regression.testing import LikelihoodRatioTest
from surveys.models import Survey
from surveys.numbers.words import p_words
from surveys.privacy.designs import crosswise as crosswise_design
from surveys.privacy.designs import triangular as triangular_design
from surveys.questionnaire.question import Question
from surveys.results.figures.adherence import (
    AnchoredFinding,
    MirroredArms,
    anchored_finding,
    anchors_of,
    attention_points,
    tapped_items,
)
from surveys.results.figures.arms import ArmComparison
from surveys.results.figures.questions import MISFIT
from surveys.results.sections.adherence import attention_title, attention_words, parse_fixed
from surveys.results.sections.anchor import anchored_note, anchored_title, anchored_words, parse_anchor
from surveys.results.sections.arms import comparison_of, mirrored_with, mirrored_words
from surveys.results.sections.section import Section
from surveys.results.words import together_words
from tests.factories import crosswise, fill, make_open, one_of, triangular, unrelated, yes_no
from tests.pages import outwards, page_of, rows_under, same, tables_of
from tests.results.seen import page_and_context, says

pytestmark = pytest.mark.django_db
TWO = [{"name": "First", "weight": 1}, {"name": "Turned", "weight": 1}]
QUARTER = crosswise_design("1/4")
THREE_TWENTIETHS = crosswise_design("3/20")


def _fact(who: str) -> dict[str, str]:
    return {"innocuous": f"Was your {who} born in January to March?", "innocuous_source": "Births by month: 1 of 4."}


def _closed(counts: dict[str, int], *questions: Question, **fields: Any) -> Survey:
    survey = make_open(*questions, **fields)
    fill(survey, counts)
    return close_survey(survey=survey)


def _question(survey: Survey, query: str = "", number: int = 1) -> str:
    return page_of("survey-results-question", survey, query, number=number)


def _anchored(counts: dict[str, int], **first: Any) -> Survey:
    anchor = crosswise("Have you been to the moon?", leave_out="no", parameters={"p": [3, 20]}, details=_fact("father"))
    return _closed(counts, crosswise(leave_out="no", **first), anchor)


def _tapped(*who: str, **changes: Any) -> list[Question]:
    return [
        crosswise(f"Have you ever robbed a {name}?", leave_out="no", details=_fact(name), **changes) for name in who
    ]


class TestASecondArm:
    """The extended crosswise model: p in one arm, 1 − p in the other."""

    def _survey(self, counts: dict[str, int], p: tuple[int, int] = (3, 4)) -> Survey:
        turned = crosswise(arms=[2], quantity=1, parameters={"p": list(p)}, details=_fact("aunt"))
        return _closed(counts, crosswise(arms=[1], quantity=1), turned, arms=TWO)

    @pytest.mark.parametrize(
        ("counts", "number", "fits"),
        [
            ({"1-0": 120, "0-0": 80, "-11": 82, "-01": 118}, 1, True),
            ({"1-0": 120, "0-0": 80, "-11": 82, "-01": 118}, 2, True),
            ({"1-0": 80, "0-0": 120, "-11": 60, "-01": 140}, 1, False),
        ],
    )
    def test_the_share_of_both_and_what_the_test_says_of_attention_are_the_cores(
        self, counts: dict[str, int], number: int, fits: bool
    ) -> None:
        page, compared, mirrored = _arms(self._survey(counts), number)
        arms = estimate_extended_crosswise([counts["0-0"], counts["1-0"]], [counts["-01"], counts["-11"]], "1/4")
        limits = arms.interval()
        assert mirrored
        assert mirrored.share == pytest.approx(arms.constrained[1])
        assert (mirrored.low, mirrored.high) == pytest.approx((limits.low[1], limits.high[1]))
        _same_test(mirrored, arms.fit)
        assert (mirrored.p_value >= MISFIT) is fits
        assert not mirrored.sees_random
        assert says(page, mirrored_words(mirrored))
        assert compared.together
        assert not says(page, together_words(compared.together))
        # Without a second arm alone a curve says what each share of followers would mean.
        assert f"chart-q{number}-attention" not in page

    def test_arms_with_one_share_of_the_fact_are_compared_as_any_others(self) -> None:
        page, compared, mirrored = _arms(self._survey({"1-0": 120, "0-0": 80, "-11": 118, "-01": 82}, (1, 4)))
        assert mirrored is None
        assert compared.together
        assert says(page, together_words(compared.together))
        assert "chart-q1-attention" in page

    def test_beside_a_third_way_of_asking_both_are_said(self) -> None:
        three = [*TWO, {"name": "Coins", "weight": 1}]
        turned = crosswise(arms=[2], quantity=1, parameters={"p": [3, 4]}, details=_fact("aunt"))
        survey = _closed(
            {"1--0": 120, "0--0": 80, "-1-1": 82, "-0-1": 118, "--12": 90, "--02": 110},
            crosswise(arms=[1], quantity=1),
            turned,
            yes_no(arms=[3], quantity=1),
            arms=three,
        )
        page, compared, mirrored = _arms(survey, 2)
        assert mirrored
        assert compared.together
        assert [asked.number for asked in mirrored.questions] == [1, 2]
        assert says(page, mirrored_words(mirrored))
        assert says(page, together_words(compared.together))
        page, _compared, of_the_coins = _arms(survey, 3)
        assert of_the_coins is None
        assert not says(page, mirrored_words(mirrored))

    def test_of_triangular_arms_taps_at_random_show_too(self) -> None:
        turned = triangular(arms=[2], quantity=1, parameters={"p": [1, 2]}, details=_fact("aunt"))
        counts = {"1-0": 90, "0-0": 110, "-11": 120, "-01": 80}
        page, _compared, mirrored = _arms(_closed(counts, triangular(arms=[1], quantity=1), turned, arms=TWO))
        arms = estimate_arms([[110, 90], [80, 120]], [triangular_design("1/4"), triangular_design("1/2")])
        assert mirrored
        _same_test(mirrored, arms.fit)
        assert mirrored.sees_random
        assert says(page, mirrored_words(mirrored))


def _arms(survey: Survey, number: int = 1) -> tuple[str, ArmComparison, MirroredArms | None]:
    """Return a question's page, how the arms compare, and what those of its technique say together."""
    page, context = page_and_context("survey-results-question", survey, number=number)
    report, question = context["report"], context["question"]
    compared = comparison_of(report, question)
    assert compared
    return page, compared, mirrored_with(report, question)


def _same_test(mirrored: MirroredArms, test: LikelihoodRatioTest) -> None:
    assert mirrored.statistic == pytest.approx(test.statistic)
    assert mirrored.p_value == pytest.approx(test.p_value)
    assert mirrored.degrees_of_freedom == test.degrees_of_freedom


class TestAnAnchor:
    """A question whose true answers are known, chosen in the address."""

    COUNTS: ClassVar = {"11": 300, "10": 60, "01": 90, "00": 50}
    TABLE: ClassVar = [[50, 90], [60, 300]]

    @pytest.mark.parametrize(
        ("query", "known", "level"),
        [
            ("?anchor=2", 0, 0.95),
            ("?anchor=2&known=2.5", Fraction(1, 40), 0.95),
            ("?anchor=2&known=0,5&level=.90", Fraction(1, 200), 0.9),
        ],
    )
    def test_the_share_of_followers_and_both_estimates_are_the_cores(
        self, query: str, known: object, level: float
    ) -> None:
        page, finding = self._finding(_anchored(self.COUNTS), query)
        anchored = estimate_anchored(self.TABLE, QUARTER, THREE_TWENTIETHS, anchor_prevalence=known)
        rows = rows_under(page, "Corrected using an anchor")
        assert len(rows) == 3
        for row, share in zip(rows, (anchored.attentive, anchored.prevalence), strict=False):
            interval = share.interval(level)
            assert same(row[1], 100 * share.point)
            assert same(row[2], 100 * share.constrained)
            assert outwards(row[3], row[4], (100 * interval.low, 100 * interval.high))
            assert same(row[5], 100 * share.standard_error)
        plain = estimate_prevalence([140, 360], QUARTER)
        limits = plain.interval(level, "wilson")
        assert same(rows[2][1], 100 * plain.point[1])
        assert outwards(rows[2][3], rows[2][4], (100 * limits.low[1], 100 * limits.high[1]))
        assert finding.n == 500
        assert says(page, anchored_note(finding, level))

    def test_the_choice_is_in_the_address_and_kept_by_the_other_form(self) -> None:
        survey = _anchored(self.COUNTS)
        page = _question(survey, "?anchor=2&known=3&level=.90&forged=7")
        assert '<option value="2" lang="en" selected>' in page
        assert '<input type="hidden" name="anchor" value="2"><input type="hidden" name="known" value="3">' in page
        assert page.count('<input type="hidden" name="level" value=".90">') == 1
        assert page.count('<input type="hidden" name="forged" value="7">') == 1
        # Without one nothing is corrected, and the curve is offered.
        page = _question(survey)
        assert 'id="anchored"' not in page
        assert "chart-q1-attention" in page

    @pytest.mark.parametrize(
        ("query", "named"),
        [("anchor=9", "9"), ("anchor=1&known=101", "101"), ("anchor=2&known=1e9", "1e9"), ("anchor=2&known=-1", "-1")],
    )
    def test_what_cannot_be_is_named_and_not_done(self, query: str, named: str) -> None:
        page, context = page_and_context("survey-results-question", _anchored(self.COUNTS), f"?{query}", number=1)
        # The question is no anchor of itself either.
        assert f"“{named}”" in context["notices"][-1]
        assert len(context["notices"]) == 1 + ("anchor=1" in query)
        assert all(says(page, notice) for notice in context["notices"])

    def test_an_anchor_that_cannot_tell_who_follows_says_so(self) -> None:
        survey = _anchored(self.COUNTS)
        _page, finding = self._finding(survey, "?anchor=2&known=50")
        assert (finding.attentive, finding.corrected) == (None, None)
        _page, finding = self._finding(survey, "?anchor=2&known=60")
        assert finding.attentive
        assert not finding.attentive.claimed

    def test_an_anchor_answered_at_random_leaves_every_share_possible(self) -> None:
        counts = {"11": 125, "10": 124, "01": 125, "00": 126}
        _page, finding = self._finding(_anchored(counts), "?anchor=2")
        assert finding.attentive
        assert (finding.attentive.claimed, finding.attentive.low) == (True, 0)

    def test_of_too_few_who_answered_both_only_their_number_is_told(self) -> None:
        drafts = crosswise(), crosswise("Anchor?", details=_fact("father"))
        page, finding = self._finding(_closed({"1-": 50, "-1": 40, "11": 9}, *drafts), "?anchor=2")
        assert (finding.enough, finding.n) == (False, 9)
        assert not [title for title, _rows in tables_of(page) if title.startswith("Corrected")]

    def _finding(self, survey: Survey, query: str) -> tuple[str, AnchoredFinding]:
        """Return the page of the first question and what its anchor tells, which the page says."""
        page, context = page_and_context("survey-results-question", survey, query, number=1)
        report, question = context["report"], context["question"]
        chosen = parse_anchor(report.query, anchors_of(question, report.definition))
        assert chosen.anchor
        wanted = report.options.wanted
        finding = anchored_finding(question.first, chosen.anchor, chosen.known, report.snapshot, wanted)
        assert says(page, anchored_title(finding))
        assert all(says(page, sentence) for sentence in anchored_words(finding))
        return page, finding

    def test_only_questions_about_two_answers_that_the_same_people_are_asked_are_anchors(self) -> None:
        drafts = (
            crosswise(arms=[1]),
            crosswise("Other arm?", arms=[2], details=_fact("aunt")),
            triangular(),
            unrelated(leave_out="no"),
            yes_no(),
        )
        survey = _closed({"1-11-0": 30, "-10111": 30}, *drafts, arms=TWO)
        assert '<select id="anchor" name="anchor"> <option value="">none</option> <option value="3"' in _question(
            survey
        )
        assert _question(survey).count('<option value="') == _question(survey, "?anchor=3").count('<option value="')
        for number in (4, 5):
            assert 'name="anchor"' not in _question(survey, number=number)

    def test_the_truth_is_in_the_interval_that_the_page_prints(self) -> None:
        drawn = np.random.default_rng(53)
        n, share, attentive = 900, 0.1, 0.6
        follows = drawn.random(n) < attentive
        at_random = drawn.integers(2, size=(2, n))
        # “The same” where both answers are Yes or both No; nobody's true answer to the anchor is Yes.
        first = np.where(follows, (drawn.random(n) < share) == (drawn.random(n) < 1 / 4), at_random[0])
        anchor = np.where(follows, drawn.random(n) >= 3 / 20, at_random[1])
        counts = Counter(f"{a}{b}" for a, b in zip(first.astype(int), anchor.astype(int), strict=True))
        survey = _anchored(dict(counts))
        # At 99.9% one seed in a thousand would fail.
        page = _question(survey, "?anchor=2&level=.999")
        followers, corrected, uncorrected = _limits(page, "Corrected using an anchor", 3)
        assert followers[0] <= 100 * attentive <= followers[1]
        assert corrected[0] <= 100 * share <= corrected[1]
        # Planted: everybody taken for attentive, and a wrong share of Yes to the anchor.
        assert not uncorrected[0] <= 100 * share <= uncorrected[1]
        wrong = _limits(_question(survey, "?anchor=2&known=20&level=.999"), "Corrected using an anchor", 3)[0]
        assert not wrong[0] <= 100 * attentive <= wrong[1]


def _p(value: float) -> str:
    return " ".join(p_words(value).split())


def _limits(page: str, caption: str, column: int) -> list[tuple[float, float]]:
    rows = rows_under(page, caption)
    return [(float(row[column].rstrip("%")), float(row[column + 1].rstrip("%"))) for row in rows]


class TestNeither:
    """One question alone: a curve over the share of followers."""

    def test_the_curve_is_the_cores_at_every_share(self) -> None:
        survey = _closed({"1": 240, "0": 160}, crosswise(leave_out="no"))
        page, context = page_and_context("survey-results-question", survey, "?level=.90", number=1)
        rows = rows_under(page, "“Yes”, by share of people who followed the instructions")
        curve = attention_curve([160, 240], QUARTER, [Fraction(number, 100) for number in range(50, 101, 5)])
        limits = curve.interval(1, 0.9)
        assert [row[0] for row in rows] == [str(number) for number in range(50, 101, 5)]
        for row, moment, estimate, low, high in zip(
            rows, curve.point(), curve.constrained(), limits.low, limits.high, strict=True
        ):
            assert same(row[1], 100 * moment)
            assert same(row[2], 100 * estimate)
            assert outwards(row[3], row[4], (100 * low, 100 * high))
        # ½ − 0.1/(½γ): 30 of 100 for all, 23 for three quarters.
        points = attention_points(context["result"], context["options"].wanted)
        assert [round(100 * point.estimate) for point in points[::5]] == [10, 23, 30]
        assert says(page, attention_title(points))
        assert says(page, attention_words(points))

    def test_a_share_of_followers_that_nothing_possible_fits_says_so(self) -> None:
        survey = _closed({"1": 305, "0": 95}, crosswise(leave_out="no"))
        page, context = page_and_context("survey-results-question", survey, number=1)
        points = attention_points(context["result"], context["options"].wanted)
        rows = rows_under(page, "“Yes”, by share of people who followed the instructions")
        assert [point.outside for point in points] == [row[2:] == ["not reliable"] * 3 for row in rows]
        assert points[5].outside
        assert says(page, attention_words(points))

    def test_a_survey_without_such_a_question_shows_nothing_of_all_this(self) -> None:
        survey = _closed({"11": 40, "00": 40}, yes_no(leave_out="no"), yes_no("And?", leave_out="no"))
        for page in (_question(survey, "?anchor=2&known=7"), page_of("survey-results-relate", survey, "?tapped=1")):
            assert not any(name in page for name in ('name="anchor"', 'name="tapped"', "attention"))


def _always_the_same(survey: Survey, query: str = "?always=no") -> tuple[str, Section]:
    """Return the page of two questions, and its section about who always taps the same."""
    page, context = page_and_context("survey-results-relate", survey, query)
    [section] = [section for section in context["sections"] if "together" in section.context]
    return page, section


class TestSeveralQuestions:
    """Reports that some tap whatever is true."""

    def test_share_interval_and_test_are_the_cores_by_each_model(self) -> None:
        counts = {"111": 260, "110": 60, "101": 70, "011": 65, "100": 30, "010": 35, "001": 30, "000": 50}
        page, section = _always_the_same(_closed(counts, *_tapped("bank", "shop", "friend")))
        table = np.zeros((2, 2, 2), dtype=np.int64)
        for reports, count in counts.items():
            table[tuple(map(int, reports))] = count
        models = [estimate_fixed_reports([table], [[QUARTER] * 3], [1, 1, 1], order) for order in (1, 2)]
        for row, model in zip(rows_under(page, "Always tapping the same answer"), models, strict=True):
            interval = model.interval()
            assert same(row[1], 100 * model.share)
            assert outwards(row[2], row[3], (100 * interval.low, 100 * interval.high))
            assert _p(model.test.p_value).removeprefix("p ").removeprefix("= ") == row[4]
            assert (row[5] == "–") is (model.fit_test.degrees_of_freedom == 0)
        assert _p(models[0].fit_test.p_value).endswith(rows_under(page, "Always tapping the same answer")[0][5])
        # That the truths have nothing to do with each other these reports contradict.
        others = rows_under(page, "“Yes” among people who do not always tap the same answer")
        for place, row in enumerate(others):
            assert same(row[1], 100 * models[1].uncorrected(place))
            assert same(row[2], 100 * models[1].prevalence(place))
        interval = models[1].prevalence_interval(1)
        assert outwards(others[1][3], others[1][4], (100 * interval.low, 100 * interval.high))
        assert section.context["together"].reports == (1, 1, 1)
        assert section.context["n"] == 600

    def test_other_questions_and_another_report_can_be_chosen(self) -> None:
        counts = {"1110": 200, "0111": 60, "1000": 100, "0100": 60, "0011": 80}
        survey = _closed(counts, *_tapped("bank", "shop"), unrelated(leave_out="no"), yes_no())
        page, _section = _always_the_same(survey, "")
        # The device's question is none of them: nobody can tap past its coins.
        assert page.count('name="tapped"') == page.count("checked") == 3
        page, section = _always_the_same(survey, "?tapped=1&tapped=3")
        assert section.context["together"].reports == (1, 0)
        assert len(rows_under(page, "Always tapping the same answer")) == 1
        page, section = _always_the_same(survey, "?tapped=1&tapped=2&always=0")
        assert section.context["together"].reports == (0, 0)
        table = [[80, 120], [100, 200]]
        model = estimate_fixed_reports([table], [[QUARTER] * 2], [0, 0])
        [row] = rows_under(page, "Always tapping the same answer")
        assert same(row[1], 100 * model.share)
        # These reports could not contradict what is supposed.
        assert row[5] == "–"

    def test_nothing_is_estimated_until_somebody_asks(self) -> None:
        survey = _closed({"11": 40, "10": 30, "01": 30, "00": 40}, *_tapped("bank", "shop"))
        page, section = _always_the_same(survey, "")
        assert section.context.keys() == {"a", "b", "together", "patterns"}
        assert page.count('name="tapped"') == page.count("checked") == 2

    def test_what_does_not_exist_is_named_and_not_done(self) -> None:
        survey = _closed({"11": 40, "10": 30, "01": 30, "00": 40}, *_tapped("bank", "shop"))
        page, section = _always_the_same(survey, "?tapped=9&tapped=1&always=7")
        no_question, _two_are_needed, nothing_to_tap = section.notices
        assert "“9”" in no_question
        assert "“7”" in nothing_to_tap
        assert all(says(page, notice) for notice in section.notices)
        assert [item.key for item in section.context["together"].chosen] == ["1", "2"]
        assert section.context["together"].reports == (1, 1)

    def test_of_too_few_who_answered_all_only_their_number_is_told(self) -> None:
        drafts = crosswise(), crosswise("And?", details=_fact("father"))
        page, section = _always_the_same(_closed({"1-": 50, "-1": 40, "11": 1}, *drafts))
        assert (section.context["n"], section.context["models"], section.context["others"]) == (1, None, None)
        assert all(says(page, sentence) for sentence in section.context["lines"])

    def test_of_a_survey_sealed_to_pairs_two_questions_are_looked_at(self) -> None:
        survey = _closed({"111": 60, "100": 30, "010": 30, "000": 40}, *_tapped("bank", "shop", "friend"))
        survey = seal_survey(survey=survey, pairs_only=True)
        page, section = _always_the_same(survey, "?tapped=1&tapped=2&tapped=3")
        [notice] = section.notices
        assert "2" in notice
        assert says(page, notice)
        others = rows_under(page, "“Yes” among people who do not always tap the same answer")
        assert len(others) == 2

    def test_questions_of_different_arms_are_not_looked_at_together(self) -> None:
        first, second, third = _tapped("bank", "shop", "friend")
        drafts = replace(first, arms=[1]), replace(second, arms=[2])
        definition = definition_of(_closed({"1-100": 20, "-1111": 20}, *drafts, third, one_of(), arms=TWO))
        assert [item.key for item in tapped_items(definition)] == ["1", "2", "3"]
        query = parse_fixed(QueryDict(), tapped_items(definition), definition, whole=True)
        assert query is not None
        assert [item.key for item in query.chosen] == ["1", "3"]

    def test_the_truth_is_in_the_interval_that_the_page_prints(self) -> None:
        drawn = np.random.default_rng(530)
        n, theta, share = 1200, 0.2, 0.3
        yes, fact = drawn.random((3, n)) < share, drawn.random((3, n)) < 1 / 4
        reports = np.where(drawn.random(n) < theta, 1, yes == fact)
        counts = Counter("".join(map(str, column)) for column in reports.T.astype(int))
        survey = _closed(dict(counts), *_tapped("bank", "shop", "friend"))
        page, section = _always_the_same(survey)
        limits = _limits(page, "Always tapping the same answer", 2)[0]
        assert limits[0] <= 100 * theta <= limits[1]
        others = rows_under(page, "“Yes” among people who do not always tap the same answer")
        assert all(float(row[3].rstrip("%")) <= 100 * share <= float(row[4].rstrip("%")) for row in others)
        assert says(page, section.context["title"])
        # Planted: nobody taken to tap the same, and the other report taken for the one that is always tapped.
        assert all(float(row[1].rstrip("%")) < 100 * share - 5 for row in others)
        page = page_of("survey-results-relate", survey, "?always=0")
        one, two = _limits(page, "Always tapping the same answer", 2)
        assert not one[1] >= 100 * theta
        assert two[0] == 0
