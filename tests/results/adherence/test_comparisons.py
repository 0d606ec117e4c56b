"""Differences and odds ratios if not everyone follows: every number is the core's, refitted through changed designs."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from surveys.charts import IntervalChart
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.adherence.attention import attention_curve, dilute_design
from surveys.estimation.adherence.comparisons import difference_curve, odds_ratio_curve
from surveys.estimation.regression.randomized_predictors import fit_logistic_randomized_predictors
from surveys.models import Survey
from surveys.numbers.words import decimal
from surveys.privacy.designs import crosswise as crosswise_design
from surveys.privacy.designs import direct
from surveys.questionnaire.question import Question
from surveys.results.figures.not_followed import FOLLOWERS, MOST_PAIRS, Supposed, Supposition
from surveys.results.sections.not_followed import direction_words, of_questions, others_words
from tests.factories import crosswise, fill, make_open, one_of, yes_no
from tests.pages import holds, outwards, rows_under, same
from tests.results.seen import page_and_context, says

pytestmark = pytest.mark.django_db
QUARTER = crosswise_design("1/4")
FATHER = {"innocuous": "Was your father born in January to March?", "innocuous_source": "Births by month: 1 of 4."}
SAFE = ["0", "1"]  # the report that counts most against a Yes: crosswise with 1/4 says "the same" more often for No


def _in_groups(*groups: dict[str, int], questions: tuple[Question, ...] = ()) -> Survey:
    survey = make_open(*(questions or [crosswise(leave_out="no")]))
    for name, counts in zip(("North", "South", "East", "West"), groups, strict=False):
        fill(survey, counts, group=add_group(survey=survey, name=name))
    return close_survey(survey=survey)


def _followed(charts: list[IntervalChart]) -> list[IntervalChart]:
    return [chart for chart in charts if "followed" in chart.name]


class TestGroups:
    """Two groups' difference, and those of many groups that are reported."""

    def test_every_row_is_the_difference_through_the_changed_designs(self) -> None:
        counts = [[160, 240], [220, 180]]
        survey = _in_groups(*({"0": no, "1": yes} for no, yes in counts))
        page, context = page_and_context("survey-results-groups", survey, "?level=.90")
        [chart] = _followed(context["charts"])
        rows, expected = rows_under(page, chart.title), []
        for followers, ways in [("1", [((), None)]), *((str(share), WAYS) for share in FOLLOWERS)]:
            for at, others in ways:
                curves = [
                    attention_curve(each, QUARTER, [followers if side in at else "1"], others)
                    for side, each in enumerate(counts)
                ]
                expected += difference_curve(*curves)
        assert len(rows) == len(expected) == 11
        for row, difference in zip(rows, expected, strict=True):
            interval = difference.interval(0.9)
            assert same(row[2], 100 * difference.constrained, places=0)
            assert outwards(row[3], row[4].removesuffix(" points"), (100 * interval.low, 100 * interval.high), places=0)

    def test_a_conclusion_that_can_turn_round_says_from_how_many_followers_on(self) -> None:
        survey = _in_groups({"0": 160, "1": 240}, {"0": 220, "1": 180})
        page, context = page_and_context("survey-results-groups", survey)
        [chart] = _followed(context["charts"])
        assert "no longer certain" in chart.text
        assert "70 of 100" in chart.text
        assert says(page, chart.text)
        firm = _in_groups({"0": 280, "1": 520}, {"0": 480, "1": 320})
        assert "stays the same" in _followed(page_and_context("survey-results-groups", firm)[1]["charts"])[0].text

    def test_of_many_groups_only_differences_that_are_reported_are_carried(self) -> None:
        survey = _in_groups({"0": 100, "1": 300}, {"0": 240, "1": 160}, {"0": 104, "1": 296})
        _page, context = page_and_context("survey-results-groups", survey)
        charts = _followed(context["charts"])
        assert [chart.title.split(",")[0] for chart in charts] == ["East − South", "North − South"]
        assert len(charts) <= MOST_PAIRS

    def test_what_a_phone_randomizes_or_a_direct_question_has_none(self) -> None:
        for question in (yes_no(leave_out="no"), one_of(leave_out="no")):
            survey = _in_groups({"0": 100, "1": 300}, {"0": 240, "1": 160}, questions=(question,))
            page, context = page_and_context("survey-results-groups", survey)
            assert not _followed(context["charts"])
            assert 'id="followed"' not in page


# Both groups, or one of them; and what the others report: at random, or what denies.
WAYS: list[tuple[tuple[int, ...], list[str] | None]] = [
    ((0, 1), None),
    ((0,), None),
    ((0,), SAFE),
    ((1,), None),
    ((1,), SAFE),
]


class TestArms:
    """Questions in different arms that ask for the same."""

    def _survey(self, second: Callable[..., Question]) -> Survey:
        arms = [{"name": "First", "weight": 1}, {"name": "Second", "weight": 1}]
        asked = {"quantity": 1, "leave_out": "no"}
        survey = make_open(crosswise(arms=[1], **asked), second(arms=[2], **asked), arms=arms)
        fill(survey, {"0-0": 160, "1-0": 240, "-01": 300, "-11": 100})
        return close_survey(survey=survey)

    def test_beside_a_direct_question_only_what_is_tapped_is_in_doubt(self) -> None:
        survey = self._survey(lambda **changes: yes_no(design="plain", parameters={}, **changes))
        page, context = page_and_context("survey-results-question", survey, number=1)
        [chart] = _followed(context["charts"])
        rows = rows_under(page, chart.title)
        assert len(rows) == 1 + 2 * 2
        curves = attention_curve([160, 240], QUARTER, ["1", "7/10"]), attention_curve([300, 100], direct(), ["1", "1"])
        for row, difference in zip([rows[0], rows[3]], difference_curve(*curves), strict=True):
            interval = difference.interval()
            assert outwards(row[3], row[4], (100 * interval.low, 100 * interval.high), places=0)

    def test_two_that_are_tapped_have_rows_for_both_and_for_each(self) -> None:
        survey = self._survey(lambda **changes: crosswise(parameters={"p": [3, 4]}, details=FATHER, **changes))
        page, context = page_and_context("survey-results-question", survey, number=2)
        [chart] = _followed(context["charts"])
        # With two designs it matters on both sides too what the others tap.
        assert len(rows_under(page, chart.title)) == 1 + 2 * 6


class TestPairs:
    """The odds ratio of two questions, which is found once somebody asks."""

    COUNTS = np.array([[222, 228], [228, 322]])

    def _survey(self, second: Question) -> Survey:
        return _in_groups(
            {f"{row}{column}": int(self.COUNTS[row, column]) for row in range(2) for column in range(2)},
            questions=(crosswise(leave_out="no"), second),
        )

    def test_every_row_is_the_odds_ratio_through_the_changed_design(self) -> None:
        survey = self._survey(crosswise("Lied?", leave_out="no", details=FATHER))
        page, context = page_and_context("survey-results-relate", survey)
        assert not _followed(context["charts"])
        assert "followed=1" in page
        page, context = page_and_context("survey-results-relate", survey, "?followed=1")
        [chart] = _followed(context["charts"])
        rows = rows_under(page, chart.title)
        expected = list(odds_ratio_curve(self.COUNTS, QUARTER, QUARTER, ["1"]))
        for share in FOLLOWERS:
            for attention in ("at_each_question", "throughout"):
                for others in (None, SAFE):
                    expected += odds_ratio_curve(
                        self.COUNTS, QUARTER, QUARTER, [share], attention=attention, random_reports=(others, others)
                    )
        assert len(rows) == len(expected) == 9
        for row, odds in zip(rows, expected, strict=True):
            if 0 < odds.point < math.inf:
                assert holds(row[2].replace("more than ", "").replace("less than ", ""), odds.point) or odds.point > 1e6
        turned = chart.rows[-1]
        assert turned.high is not None
        assert turned.high < 1 < chart.rows[0].low  # type: ignore[operator]  # it is claimed
        assert says(page, chart.text)
        assert "90 of 100" in chart.text

    def test_beside_a_question_that_a_phone_randomizes_only_one_is_in_doubt(self) -> None:
        survey = self._survey(yes_no("Lied?", leave_out="no"))
        page, context = page_and_context("survey-results-relate", survey, "?followed=1")
        [chart] = _followed(context["charts"])
        assert [row.label for row in chart.rows] == [
            "Everyone",
            *["90 of 100 at question 1"] * 2,
            *["70 of 100 at question 1"] * 2,
        ]
        assert len(rows_under(page, chart.title)) == 5

    def test_two_that_phones_randomize_have_none(self) -> None:
        survey = _in_groups(
            {"11": 100, "00": 100, "01": 60, "10": 60},
            questions=(yes_no(leave_out="no"), yes_no("Lied?", leave_out="no")),
        )
        page, context = page_and_context("survey-results-relate", survey, "?followed=1")
        assert not _followed(context["charts"])
        assert 'id="followed"' not in page


class TestRegressions:
    """Odds ratios of a regression refitted through the changed designs, once somebody asks."""

    def test_every_row_is_that_of_the_refitted_regression(self) -> None:
        survey = _in_groups({"0": 304, "1": 496}, {"0": 352, "1": 448})
        page, context = page_and_context("survey-results-regression", survey, "?outcome=1&groups=1&followed=1")
        [chart] = _followed(context["charts"])
        rows, expected = rows_under(page, chart.title), []
        for share, others in [("1", None), *((share, others) for share in FOLLOWERS for others in (None, SAFE))]:
            fit = fit_logistic_randomized_predictors(
                [0, 1, 0, 1],
                dilute_design(QUARTER, share, others),
                [],
                [],
                np.array([[0], [0], [1], [1]]),
                weights=[304, 496, 352, 448],
            )
            expected.append((math.exp(fit.coefficients[1]), fit.profile_interval(1)))
        assert [(row[0], row[1]) for row in rows[:3]] == [
            ("Everyone", "–"),
            ("90 of 100 at question 1", "others tap at random"),
            ("90 of 100 at question 1", "others always tap the safest report"),
        ]
        for row, (ratio, interval) in zip(rows, expected, strict=True):
            assert holds(row[2], ratio)
            assert float(row[3]) == pytest.approx(math.exp(interval.low), abs=0.011)
            assert float(row[4]) == pytest.approx(math.exp(interval.high), abs=0.11)
        assert says(page, chart.title)

    def test_a_refit_without_a_maximum_is_a_penalized_one(self) -> None:
        # Of the second group 190 deny at least if three tenths always do: with 180 all others' true answers are Yes.
        survey = _in_groups({"0": 160, "1": 240}, {"0": 220, "1": 180})
        page, context = page_and_context("survey-results-regression", survey, "?outcome=1&groups=1&followed=1")
        [chart] = _followed(context["charts"])
        groups, counts = np.array([[0], [0], [1], [1]]), [160, 240, 220, 180]
        safe = dilute_design(QUARTER, FOLLOWERS[-1], SAFE)
        reports = [0, 1, 0, 1]
        assert not fit_logistic_randomized_predictors(reports, safe, [], [], groups, weights=counts).usable
        fit = fit_logistic_randomized_predictors(reports, safe, [], [], groups, weights=counts, penalized=True)
        last = rows_under(page, chart.title)[-1]
        assert holds(last[2], math.exp(fit.coefficients[1]))
        assert float(last[3]) == pytest.approx(math.exp(fit.profile_interval(1).low), abs=0.011)

    def test_it_is_found_only_if_asked_for_and_where_something_is_tapped(self) -> None:
        survey = _in_groups({"0": 160, "1": 240}, {"0": 220, "1": 180})
        page, context = page_and_context("survey-results-regression", survey, "?outcome=1&groups=1")
        assert not _followed(context["charts"])
        assert "followed=1" in page
        other = _in_groups({"0": 160, "1": 240}, {"0": 220, "1": 180}, questions=(yes_no(leave_out="no"),))
        page, context = page_and_context("survey-results-regression", other, "?outcome=1&groups=1&followed=1")
        assert not _followed(context["charts"])
        assert 'id="followed"' not in page


class TestWords:
    """What is supposed, and what follows, in words."""

    def test_of_a_difference_that_shows_no_side_nothing_is_said(self) -> None:
        assert direction_words([Supposed(Supposition(), 0.1, -0.1, 0.3)], of_none=0.0) == ""

    @pytest.mark.parametrize(
        ("supposition", "words"),
        [
            (Supposition(), "Everyone"),
            (Supposition(FOLLOWERS[0], (1,)), f"{decimal(90, 0)} of 100 at question 5"),
            (Supposition(FOLLOWERS[1], (0, 1)), "70 of 100 at each question"),
            (Supposition(FOLLOWERS[1], (0, 1), None, True), "70 of 100, the same people at both questions"),
        ],
    )
    def test_who_follows(self, supposition: Supposition, words: str) -> None:
        assert of_questions(supposition, ("2", "5")) == words
        assert others_words(supposition) == ""
