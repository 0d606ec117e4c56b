"""The sentences of results that claim something, warn of something or protect somebody, each held once."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.test import Client

from surveys.course.services import close_survey
from surveys.estimation.association.independence import IndependenceTest
from surveys.estimation.claims import FigureOptions, NumberEstimate
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.list_experiment.denial import estimate_denial
from surveys.estimation.list_experiment.design_effect import find_design_effect
from surveys.estimation.list_experiment.types import estimate_list
from surveys.models import Survey
from surveys.numbers.words import Units
from surveys.privacy.designs import forced_response, triangular
from surveys.questionnaire.arms import Arm
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.kinds import YES_OR_NO
from surveys.results.figures.adherence import (
    AnchoredFinding,
    AttentionPoint,
    FixedReports,
    FixedReportShare,
    MirroredArms,
)
from surveys.results.figures.arms import ArmDifference, ArmSizes, ArmsTogether
from surveys.results.figures.groups import GroupMeasure, GroupResults, PairDifference
from surveys.results.figures.lists import ListComparison
from surveys.results.figures.plan import AssumedShare, Precision, Wish
from surveys.results.figures.privacy import guesser, one_report
from surveys.results.figures.regression.terms import FittedShare, Regression
from surveys.results.figures.relate import Relation
from surveys.results.figures.weights import GroupCategories, KnownShares, WeightingPlan, WeightsInUse
from surveys.results.pages import groups, plan, privacy, regression, relate, weights
from surveys.results.report import coverage_words, simultaneous_words
from surveys.results.sections import adherence, anchor, arms, lists, two_arms
from surveys.results.words import HIGHER_IS_NO_PROOF, difference_words, mean_words, together_words
from tests.factories import fill, make_open, plain, unrelated, yes_no
from tests.pages import page_of
from tests.results.seen import says

FIRST, SECOND = (SimpleNamespace(number=number, protects=True) for number in (1, 2))
ITEM = Item(0, 1, YES_OR_NO, "?", ("No", "Yes"), "no", forced_response(), key="1")
CARDS = Item(0, 1, YES_OR_NO, "?", ("No", "Yes"), "no", triangular("1/4"), key="2")
HOURS: Any = SimpleNamespace(range=SimpleNamespace(low=Fraction(0), high=Fraction(12), unit="hours"))


def number(estimate: float, low: float, high: float, **fields: Any) -> NumberEstimate:
    return NumberEstimate(
        estimate, estimate, low, high, 0.1, fields.pop("method", "wald"), **{"outside": False} | fields
    )


PAIR = PairDifference("North", "South", 0.3, 0.3, 0.1, 0.5, 0.1, 0.01, 0.01, outside=False, of_claimed=True)


def compared(p: float = 0.01, item: Item = ITEM, option: int | None = 1) -> GroupResults:
    measure = GroupMeasure(item, option, FigureOptions())
    same: Any = SimpleNamespace(estimates=(1, 2), statistic=4.0, degrees_of_freedom=1, p_value=p)
    return GroupResults(measure, (), 0, same, (PAIR, PAIR))


def pair_words(p: float = 0.01, **changes: Any) -> str:
    return groups.pair_words(replace(PAIR, **changes), compared(p))


PLAN = WeightingPlan(
    (KnownShares(None, "Year", ("A",), (1.0,)),), "none", None, GroupCategories((), ()), FigureOptions()
)
USED = WeightsInUse((), 253, 0, effective_n=201.7, largest=2.0, heaviest=(200, 0.8))


def weights_words(changed: WeightingPlan = PLAN, **changes: Any) -> str:
    return weights.weights_words(replace(USED, **changes), changed, (), 10)


TEST = IndependenceTest(np.full((2, 2), 3), np.full((2, 2), 3.0), 1, 4.0, 0.2, 4.0, 0.2, 0.2)


def relation(p: float, **fields: Any) -> Relation:
    return Relation(ITEM, ITEM, 200, 10, 0.95, independence=replace(TEST, exact_p_value=p), **fields)


def anchored(attentive: NumberEstimate | None, corrected: NumberEstimate | None = None) -> str:
    share = corrected or attentive
    return " ".join(
        anchor.anchored_words(AnchoredFinding(ITEM, CARDS, Fraction(1, 50), 500, 10, attentive, share, attentive))
    )


MIRRORED = MirroredArms((FIRST, SECOND), 400, 0.2, 0.123, 0.331, 1.2, 1, 0.3, sees_random=False)  # type: ignore[arg-type]
POINTS = [AttentionPoint(Fraction(share, 100), 0.2, share / 300, 0.1, 0.6, outside=False) for share in (75, 90, 100)]
TAPPED = FixedReports((ITEM, ITEM), (1, 1), 600, 10)
ALWAYS = FixedReportShare(1, 0.1, 0.05, 0.2, 0.01, None)


def tapped(model: FixedReportShare = ALWAYS) -> FixedReports:
    return replace(TAPPED, models=(model,))


LIMITS = ScalarInterval(0.05, 0.31, 0.95, "wilson", outside=False)
DIFFERENCE = ArmDifference(FIRST, SECOND, 0.18, LIMITS, 0.01)  # type: ignore[arg-type]
SIZES = ArmSizes((Arm(1, "A", 1), Arm(2, "B", 1)), (300, 100), 0.00001)


def list_words(control: list[int], treatment: list[int], *, step: int = 0, suspicious: bool = False) -> str:
    estimate, pair = estimate_list(control, treatment), SimpleNamespace(sensitive="I have cheated")
    effect = find_design_effect(estimate)
    listed = ListComparison(pair, estimate, effect=effect, step=step)  # type: ignore[arg-type]
    words = lists.list_words(
        listed if step else replace(listed, denial=estimate_denial(estimate, ceiling=0.0)), 0.95, 10
    )
    assert effect.suspicious == suspicious
    return " ".join([*words.finding, *words.notes])


CONTROL, TREATMENT = [20, 90, 70, 20], [15, 65, 75, 35, 10]
PRECISION = Precision(30, 0.351, 0.16, (Wish(0.03, 9, 9), Wish(0.05, 1476, 323)), (), ())
ONE = one_report(ITEM, 1, [0.7, 0.3])
MODEL: Any = SimpleNamespace(of=SimpleNamespace(model="cheating_detection"), first=FIRST, second=SECOND, model="?")
FITTED = Regression(100, 0, second=FittedShare(0.2, 0.15, 0.26))

SENTENCES: list[tuple[Callable[[], object], str]] = [
    (pair_words, "“Yes” is more common in North than in South, by 10 to 50 points."),
    (
        lambda: groups.pair_words(PAIR, compared(item=HOURS, option=None)),
        "The mean is higher in North than in South, by 0.10 to 0.50 hours.",
    ),
    (
        lambda: pair_words(low=-0.1),
        "North and South: no conclusion. The difference could be anything from −10 to 50 points.",
    ),
    (
        lambda: pair_words(0.2),
        "North and South: no conclusion. On its own, the interval (10 to 50 points) excludes 0, but the test of all "
        "groups together gives p = 0.200.",
    ),
    (
        lambda: pair_words(adjusted_p_value=0.2),
        "North and South: no conclusion. On its own, the interval (10 to 50 points) excludes 0, but the test of this "
        "difference gives p = 0.200.",
    ),
    (
        lambda: pair_words(adjusted_p_value=None),
        "North and South: no conclusion. On its own, the interval (10 to 50 points) excludes 0. But there is no "
        "p-value, so the comparison cannot be adjusted for the number of pairs.",
    ),
    (
        lambda: pair_words(of_claimed=False),
        "North and South: no conclusion. At least one of these groups has no interval, so no difference is reported.",
    ),
    (
        lambda: pair_words(outside=True),
        "North and South: no interval, because no possible difference fits the reports.",
    ),
    (lambda: groups.pair_detail(replace(PAIR, high=0.9), compared()), "10 to 90 points: higher in North"),
    (
        lambda: groups.same_words(compared(0.2)),
        "The groups might not differ. Their reports vary no more than would be expected by chance. No conclusion.",
    ),
    (
        lambda: groups.same_words(compared()),
        "At least two groups differ. Their reports vary more than would be expected by chance.",
    ),
    (
        lambda: groups.hidden_words(2),
        "2 groups are not shown. Either too few people in these groups answered, or subtracting their figures would "
        "reveal figures for too few people.",
    ),
    (
        weights_words,
        "253 people are weighted, which gives an effective sample size of 201. The largest weight is 2.00 times the "
        "mean weight. No weight was trimmed.",
    ),
    (lambda: weights_words(heaviest=(15, 0.8)), "15 people carry 80% of the total weight."),
    (
        lambda: weights_words(replace(PLAN, largest=2.0), trimmed=3),
        "3 people’s weights were trimmed to 2 times the mean weight, so the weighted shares no longer match the "
        "population exactly.",
    ),
    (
        lambda: weights_words(left_out=32),
        "32 people who skipped a weighting question are not included in these figures.",
    ),
    (
        lambda: weights_words(replace(PLAN, role="clusters"), clusters=3),
        "The groups are treated as 3 clusters, so intervals are based on how much the clusters differ.",
    ),
    (
        lambda: weights_words(problem="small"),
        "At least one combination of weighting variables has fewer than 10 people, and weights could identify these "
        "people. Weight by fewer variables.",
    ),
    (lambda: relate.together_words(relation(0.01)), "The true answers to the two questions are associated"),
    (
        lambda: relate.together_words(relation(0.01, odds_may_be_1=True)),
        "The test finds that the true answers are associated. But the odds ratio, estimated with shares kept between "
        "0 and 100%, could still be 1 (no association). No conclusion.",
    ),
    (
        lambda: relate.together_words(relation(0.2)),
        "200 responses are too few to show whether the two questions are associated",
    ),
    (
        lambda: relate.odds_words(relation(0.2, odds_ratio=number(2, 1.1, 4))),
        "On its own, this interval excludes 1, but the test does not find an association. So there is no conclusion.",
    ),
    (
        lambda: relate.poor_words(TEST),
        "If the two questions were independent, only 3.0 reports would be expected in one cell of the table. With "
        "fewer than 5 expected reports, the p-values of χ² and G are unreliable, but Fisher’s is exact.",
    ),
    (
        lambda: relate.limits_words(number(1, 1, 1, no_width=True)),
        "no interval, because a width of 0 would be misleading",
    ),
    (lambda: relate.limits_words(number(1, 1, 1, outside=True)), "no interval, because no share fits the reports"),
    (
        lambda: mean_words(number(12, 12, 12, no_width=True), Units(0, 12, "hours")),
        "No interval, because two equal limits would be misleading",
    ),
    (
        lambda: mean_words(number(12, 12, 12, outside=True), Units(0, 12, "hours")),
        "No interval, because the Wald interval lies outside the possible range, 0 to 12 hours.",
    ),
    (
        lambda: mean_words(number(12, 12, 12, outside=True, method="likelihood_ratio"), Units(0, 12, "hours")),
        "No interval, because no mean from 0 to 12 hours fits the reports.",
    ),
    (
        lambda: arms.mirrored_words(MIRRORED),
        "Together, questions 1 and 2 give 20 of 100 (between 12 and 34). People who always tap the same answer would "
        "make these arms differ. But the arms do not differ significantly",
    ),
    (
        lambda: arms.mirrored_words(replace(MIRRORED, p_value=0.001)),
        "Some people probably always tap the same answer, or the arms are not comparable.",
    ),
    (
        lambda: arms.mirrored_words(MIRRORED),
        "This test cannot detect random taps, because they shift all of these arms equally.",
    ),
    (
        lambda: adherence.attention_title(POINTS),
        "If 75 of 100 followed the instructions, the estimate is 25 of 100, not 33",
    ),
    (
        lambda: adherence.attention_words(POINTS),
        "The estimate out of 100 if everyone followed the instructions: 33. If 90 of 100 did and the others tapped "
        "at random: 30. If 75 of 100 did: 25. One question alone cannot show how many people followed the "
        "instructions.",
    ),
    (lambda: adherence.fixed_title(tapped()), "Between 5 and 20 of 100 people always tap the same answer"),
    (
        lambda: adherence.fixed_title(tapped(replace(ALWAYS, low=0.0))),
        "No sign that anyone always taps the same answer",
    ),
    (lambda: adherence.fixed_words(tapped())[0], "This assumption cannot be tested with the reports."),
    (
        lambda: adherence.fixed_words(tapped(replace(ALWAYS, fit=0.001)))[0],
        "But this assumption does not fit the reports (p = 0.001).",
    ),
    (
        lambda: anchored(None),
        "Suppose the true answer to question 2 is Yes for 2 of 100. Then random taps look the same as reports by "
        "people who follow the instructions. The question is useless as an anchor.",
    ),
    (
        lambda: anchored(number(0.5, 0.5, 0.5, outside=True)),
        "If the true answer to question 2 is Yes for 2 of 100, its reports can’t be explained, however many people "
        "followed the instructions. Check the number you entered.",
    ),
    (
        lambda: anchored(number(0.1, 0.0, 0.2)),
        "If the true answer to question 2 is Yes for 2 of 100, its reports do not show that anyone followed the "
        "instructions. So any corrected share is possible.",
    ),
    (
        lambda: anchored(number(0.6, 0.5, 0.7), number(0.1, 0.05, 0.2)),
        "The corrected share is the share among people who followed the instructions. It holds for everyone if "
        "following the instructions is unrelated to the true answer.",
    ),
    (
        lambda: difference_words(DIFFERENCE),
        "The estimate for question 1 is higher than for question 2 by 18 percentage points (between 5 and 31; test "
        "of no difference: p = 0.010).",
    ),
    (
        lambda: difference_words(DIFFERENCE, tested=False),
        "The estimate for question 1 is higher than for question 2 by 18 percentage points (between 5 and 31).",
    ),
    (
        lambda: together_words(ArmsTogether(0.2, 0.15, 0.25, 0.5)),
        "A common share for these arms would be between 15 and 25 of 100, which fits their reports (p = 0.500).",
    ),
    (
        lambda: together_words(ArmsTogether(0.2, 0.15, 0.25, 0.001)),
        "A common share for these arms would be between 15 and 25 of 100, which does not fit "
        "their reports (p = 0.001).",
    ),
    (
        lambda: arms.uncompared_words([SECOND], 10),  # type: ignore[list-item]
        "Question 2 asks for the same thing but is not compared. Either fewer than 10 people answered it, or it is "
        "unprotected and too few people gave one of its answers.",
    ),
    (
        lambda: HIGHER_IS_NO_PROOF,
        "A higher estimate is not necessarily better. People who tap at random, or always tap the same answer, can "
        "raise it (Höglinger and Jann, 2018, “More is not always better”, PLoS ONE 13).",
    ),
    (
        lambda: arms.arm_sizes_words(SIZES),
        "With random assignment, the responses rarely differ this much from the planned ratio (p < 0.001). More "
        "people may have dropped out of one arm than out of another. If so, the arms are not comparable.",
    ),
    (
        lambda: list_words(CONTROL, TREATMENT),
        "“I have cheated”: about 35 of 100 people (95% confidence interval: 17 to 53).",
    ),
    (
        lambda: list_words(CONTROL, TREATMENT, step=20),
        "Fewer than 10 people gave one of the numbers. Therefore, only the difference is shown, always with 95% "
        "confidence and in steps of 20 of 100. More detail would reveal how many people gave which number.",
    ),
    (
        lambda: list_words(CONTROL, TREATMENT),
        "This estimate assumes that the sensitive statement does not change how people count the others, and that "
        "nobody for whom it is true denies it.",
    ),
    (
        lambda: list_words([10, 50, 100, 240], [120, 160, 60, 40, 20], suspicious=True),
        "The sensitive statement probably changed how people counted the other statements, so do not rely on the "
        "estimate.",
    ),
    (
        lambda: list_words([150, 40, 10, 0], [0, 0, 30, 90, 80], suspicious=True),
        "No share can lie in this range, and random assignment alone rarely produces such a result. The longer list "
        "probably changed what people counted, or some people did not count as instructed.",
    ),
    (
        lambda: list_words([20, 80, 70, 30], [25, 80, 70, 25, 0]),
        "A share cannot have this value, but a difference between two randomly assigned groups can. Consider only the "
        "part of the interval between 0 and 100.",
    ),
    (
        lambda: list_words([0, 0, 30, 0], [0, 0, 30, 0, 0]),
        "about 0 of 100 people. There is no interval, because within each arm everyone sent the same number.",
    ),
    (
        lambda: plan.expectation(PRECISION, None),
        "With 30 people, expect a margin of error of ±35 points. For ±5, you need 1,476 people.",
    ),
    (
        lambda: plan.price(PRECISION, None, protects=True),
        "Randomizing has a price. One truthful direct answer is worth 4.8 reports with this design. With 30 direct "
        "answers, expect a margin of error of ±16 points. For ±5 points, 323 direct answers would be enough.",
    ),
    (
        lambda: plan.assumption(AssumedShare(0.01, "limited"), ITEM, "Yes"),
        "This assumes that Yes is the true answer for 1 of 100 people. The estimate itself is too close to 0 or 100 "
        "for the normal approximation.",
    ),
    (
        lambda: plan.assumption(AssumedShare(0.5, "unknown"), ITEM, "Yes"),
        "This assumes that Yes is the true answer for 50 of 100 people. There is no reliable estimate, because "
        "respondents probably did not follow the instructions.",
    ),
    (
        lambda: privacy.report_words(ONE, 1, Fraction(3, 10)),
        "If “Yes” is the true answer for 30 of 100 people, it is the true answer for 56 of 100 people who reported "
        "“Yes”.",
    ),
    (
        lambda: privacy.guess_words(guesser(ITEM, 1, 1.0)),
        "Suppose “Yes” and “No” are each the true answer for half the people. Then anyone who uses a report to "
        "guess between these two answers is right at most 75 of 100 times.",
    ),
    (
        lambda: " ".join(privacy.proofs(one_report(CARDS, 1, [0.7, 0.3]))),
        "The report “No to both” proves that the true answer is not “Yes”.",
    ),
    (
        lambda: coverage_words(ITEM, 10, "wilson", 0.95),
        "Suppose the true share is about 87.5 of 100. With 10 answers, intervals by this method then contain it in "
        "as few as 91.9 of 100 surveys, instead of the intended 95. Clopper–Pearson intervals never fall below "
        "their stated level.",
    ),
    (
        lambda: simultaneous_words(3, FigureOptions()),
        "The intervals of these 3 shares hold simultaneously (Bonferroni).",
    ),
    (
        lambda: simultaneous_words(3, FigureOptions(simultaneous=False)),
        "Each of these intervals is for one share alone, so not all of them need hold simultaneously.",
    ),
    (
        lambda: two_arms.unidentified_words(MODEL),
        "Questions 1 and 2 are randomized in the same proportions, so together they give only one share. Use other "
        "probabilities for one of them.",
    ),
    (
        lambda: two_arms.guess_words(None),
        "To avoid the guessed share, you need a second arm with other probabilities, and enough answers in both arms.",
    ),
    (
        lambda: " ".join(regression.arms_lines(FITTED, MODEL)),
        "According to this regression, 20 of 100 (between 15 and 26) say No whatever the coins show. In "
        "the odds, these people do not count as Yes.",
    ),
]


@pytest.mark.parametrize(("make", "sentence"), SENTENCES, ids=range(len(SENTENCES)))
def test_what_is_claimed_is_said_so(make: Callable[[], object], sentence: str) -> None:
    assert sentence in " ".join(str(make()).split())


TWO = yes_no(leave_out="no"), yes_no("And?", leave_out="no")
GUESS = unrelated(details=unrelated().details | {"innocuous_source": ""}, leave_out="no")


def _answered(*questions: Any, counts: dict[str, int] | None = None) -> Survey:
    survey = make_open(*questions)
    fill(survey, counts or {"1" * len(questions): 40, "0" * len(questions): 60})
    return close_survey(survey=survey)


def _results(name: str, *questions: Any, query: str = "") -> str:
    return page_of(f"survey-results{name}", _answered(*questions), query)


def _guessed(address: str) -> str:
    """Return what a respondent reads of a question with a guessed share."""
    survey = make_open(GUESS, server_mode_allowed=True)
    return Client().get(f"/s/{survey.code}/{address}").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        (
            lambda: _results("-groups", yes_no(leave_out="no")),
            "Each person’s class is then stored as it is, not randomized.",
        ),
        (
            lambda: page_of("survey-results-relate", _answered(*TWO, counts={"11": 50, "10": 25, "01": 30, "00": 55})),
            "The usual tests on the table of reports are therefore valid unchanged. Randomization costs these "
            "tests only power.",
        ),
        (
            lambda: _results("-bayes", yes_no(leave_out="no")),
            "A report on this question changes anyone’s odds between two answers at most 3-fold (e to the ε, ε = "
            "1.10).",
        ),
        (
            lambda: _results("-weights", yes_no(leave_out="no"), plain(("Arts", "Law"), "?"), query="?q2-0=50&q2-1=50"),
            "Weights correct only for the variables they use. People who did not answer may differ in other ways.",
        ),
        (
            lambda: _results("-plan", GUESS),
            "Question 1 relies on a guessed share of Yes answers to the innocuous question.",
        ),
        (lambda: _guessed(""), "All this holds only if a guessed share is right."),
        (lambda: _guessed(""), "Of 100 people, 25 say Yes to this question (a guess, on which these figures depend)"),
        (lambda: _guessed("own-coin/"), "This share is a guess."),
    ],
)
def test_what_a_page_warns_of_is_said_on_it(page: Callable[[], str], sentence: str) -> None:
    assert says(page(), sentence)
