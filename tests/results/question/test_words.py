"""The sentences of results that claim something, warn of something or protect somebody, each held once."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from surveys.course.services import close_survey
from surveys.estimation.claims import FigureOptions, NumberEstimate
from surveys.estimation.intervals import ScalarInterval
from surveys.estimation.list_experiment import estimate_denial, estimate_list, find_design_effect
from surveys.models import Survey
from surveys.models.arms import Arm
from surveys.models.asked_question import Item
from surveys.numbers.words import Units
from surveys.privacy.designs import forced_response, triangular
from surveys.results.figures.adherence import (
    AnchoredFinding,
    AttentionPoint,
    FixedReports,
    FixedReportShare,
    MirroredArms,
)
from surveys.results.figures.arms import ArmDifference, ArmSizes, ArmsTogether
from surveys.results.figures.groups import GroupMeasure, GroupResults, PairDifference, SameEverywhere
from surveys.results.figures.lists import ListComparison
from surveys.results.figures.plan import AssumedShare, Precision, Wish
from surveys.results.figures.privacy import guesser, one_report
from surveys.results.figures.regression.terms import FittedShare, Regression
from surveys.results.figures.relate import Independence, Relation
from surveys.results.figures.weights import GroupCategories, KnownShares, WeightedResults, WeightingPlan, WeightsInUse
from surveys.results.pages import groups, plan, privacy, regression, relate, weights
from surveys.results.report import coverage_words, simultaneous_words
from surveys.results.sections import adherence, anchor, arms, lists, two_arms
from surveys.results.words import HIGHER_IS_NO_PROOF, difference_words, mean_words, together_words
from tests.factories import fill, make_open, plain, unrelated, yes_no
from tests.pages import page_of
from tests.results.seen import says

FIRST, SECOND = (SimpleNamespace(number=number, protects=True) for number in (1, 2))
ITEM = Item(0, 1, 1, "yes_no", "?", ("No", "Yes"), "no", forced_response(), key="1")
CARDS = Item(0, 1, 1, "yes_no", "?", ("No", "Yes"), "no", triangular("1/4"), key="2")
HOURS: Any = SimpleNamespace(range=SimpleNamespace(low=Fraction(0), high=Fraction(12), unit="hours"))


def number(estimate: float, low: float, high: float, **fields: Any) -> NumberEstimate:
    return NumberEstimate(
        estimate, estimate, low, high, 0.1, fields.pop("method", "wald"), **{"outside": False} | fields
    )


PAIR = PairDifference("North", "South", 0.3, 0.3, 0.1, 0.5, 0.1, 0.01, 0.01, outside=False, of_claimed=True)


def compared(p: float = 0.01, item: Item = ITEM, option: int | None = 1) -> GroupResults:
    measure = GroupMeasure(item, option, FigureOptions())
    return GroupResults(measure, (), 0, SameEverywhere(2, 4.0, 1, p), (PAIR, PAIR))


def pair_words(p: float = 0.01, **changes: Any) -> str:
    return groups.pair_words(replace(PAIR, **changes), compared(p))


PLAN = WeightingPlan(
    (KnownShares(None, "Year", ("A",), (1.0,)),), "none", None, GroupCategories((), ()), FigureOptions()
)
USED = WeightsInUse((), 253, 0, effective_n=201.7, largest=2.0, heaviest=(200, 0.8))


def weights_words(changed: WeightingPlan = PLAN, **changes: Any) -> str:
    return weights.weights_words(replace(USED, **changes), WeightedResults(changed, ()), (), 10)


TEST = Independence(1, 4.0, 0.2, 4.0, 0.2, 0.2, 3.0, approximation_poor=True)


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
    (pair_words, "“Yes” is more frequent in North than in South, by 10 to 50 points."),
    (
        lambda: groups.pair_words(PAIR, compared(item=HOURS, option=None)),
        "The mean is larger in North than in South, by 0.10 to 0.50 hours.",
    ),
    (
        lambda: pair_words(low=-0.1),
        "North and South: the difference could be anything from −10 to 50 points: no conclusion.",
    ),
    (
        lambda: pair_words(0.2),
        "North and South: by itself the interval, from 10 to 50 points, leaves 0 out, but the test of all groups at "
        "once gives p = 0.200: no conclusion.",
    ),
    (
        lambda: pair_words(adjusted_p_value=0.2),
        "North and South: by itself the interval, from 10 to 50 points, leaves 0 out, but the test gives p = 0.200: no "
        "conclusion.",
    ),
    (
        lambda: pair_words(adjusted_p_value=None),
        "leaves 0 out, but there is no p-value to adjust for the number of pairs: no conclusion.",
    ),
    (
        lambda: pair_words(of_claimed=False),
        "North and South: not both have an interval, so no difference is told: no conclusion.",
    ),
    (lambda: pair_words(outside=True), "North and South: no interval, for no possible difference fits the reports."),
    (lambda: groups.pair_detail(replace(PAIR, high=0.9), compared()), "from 10 to 90 points: more in North"),
    (
        lambda: groups.same_words(compared(0.2)),
        "The groups may all be the same: their reports differ by no more than chance explains. No conclusion.",
    ),
    (
        lambda: groups.same_words(compared()),
        "The groups are not all the same: their reports differ by more than chance explains.",
    ),
    (
        lambda: groups.hidden_words(2),
        "2 groups are not shown: too few answered in them, or figures of so few could be found by subtraction.",
    ),
    (
        weights_words,
        "253 people are weighted. They tell as much as 201 of equal weight; the largest weight is 2.00 times the mean.",
    ),
    (lambda: weights_words(heaviest=(15, 0.8)), "15 people carry 80% of the weight."),
    (
        lambda: weights_words(replace(PLAN, largest=2.0), trimmed=3),
        "3 people’s weights were cut to 2 times the mean, so the shares are no longer met exactly.",
    ),
    (lambda: weights_words(left_out=32), "32 who skipped what is weighted by are in none of these figures."),
    (
        lambda: weights_words(replace(PLAN, role="clusters"), clusters=3),
        "The groups are 3 clusters: intervals rest on how these differ from each other.",
    ),
    (
        lambda: weights_words(problem="small"),
        "Some combination of what is weighted by holds fewer than 10 people, whom weights would single out: weight by "
        "less.",
    ),
    (lambda: relate.together_words(relation(0.01)), "The true answers to the two questions are associated"),
    (
        lambda: relate.together_words(relation(0.01, odds_may_be_1=True)),
        "The test finds that the true answers are associated, but the odds ratio, which keeps shares between 0 and 100%, could still be 1 (no association). No conclusion.",
    ),
    (lambda: relate.together_words(relation(0.2)), "200 answers cannot settle whether the two go together"),
    (
        lambda: relate.odds_words(relation(0.2, odds_ratio=number(2, 1.1, 4))),
        "On its own, this interval excludes 1, but the test does not confirm it: no conclusion.",
    ),
    (lambda: relate.poor_words(TEST), "Below 5 the p-values of χ² and G are not to be relied on; Fisher’s is exact."),
    (
        lambda: relate.limits_words(number(1, 1, 1, no_width=True)),
        "no interval: it would have no width, as if certain",
    ),
    (lambda: relate.limits_words(number(1, 1, 1, outside=True)), "no interval: no share fits the reports"),
    (
        lambda: mean_words(number(12, 12, 12, no_width=True), Units(0, 12, "hours")),
        "No interval: it would be a single number, which would suggest certainty",
    ),
    (
        lambda: mean_words(number(12, 12, 12, outside=True), Units(0, 12, "hours")),
        "No interval: Wald’s lies outside what is possible, 0 to 12 hours.",
    ),
    (
        lambda: mean_words(number(12, 12, 12, outside=True, method="likelihood_ratio"), Units(0, 12, "hours")),
        "No interval: no mean from 0 to 12 hours fits the reports.",
    ),
    (
        lambda: arms.mirrored_words(MIRRORED),
        "Taken together, questions 1 and 2 say 20 of 100 (between 12 and 34). Whoever always taps the same "
        "pushes these arms apart, and they are no further apart than chance sets them",
    ),
    (
        lambda: arms.mirrored_words(replace(MIRRORED, p_value=0.001)),
        "some always tap the same, or the arms are not alike.",
    ),
    (
        lambda: arms.mirrored_words(MIRRORED),
        "Random taps do not show here: they shift all of these arms equally.",
    ),
    (lambda: adherence.attention_title(POINTS), "If 75 of 100 follow the procedure: 25 of 100, not 33"),
    (lambda: adherence.attention_words(POINTS), "One question alone cannot tell how many do."),
    (lambda: adherence.fixed_title(tapped()), "Between 5 and 20 of 100 always tap the same"),
    (
        lambda: adherence.fixed_title(tapped(replace(ALWAYS, low=0.0))),
        "No sign that anyone always taps the same answer",
    ),
    (lambda: adherence.fixed_words(tapped())[0], "The reports cannot test this assumption."),
    (
        lambda: adherence.fixed_words(tapped(replace(ALWAYS, fit=0.001)))[0],
        "But what is supposed here does not fit the reports (p = 0.001).",
    ),
    (
        lambda: anchored(None),
        "If 2 of 100 truly answer Yes to question 2, those who follow the procedure tap there like those who tap at "
        "random: as an anchor it tells nothing.",
    ),
    (lambda: anchored(number(0.5, 0.5, 0.5, outside=True)), "no share of followers fits its reports."),
    (
        lambda: anchored(number(0.1, 0.0, 0.2)),
        "its reports do not show that anybody follows the procedure. So any share is possible here.",
    ),
    (
        lambda: anchored(number(0.6, 0.5, 0.7), number(0.1, 0.05, 0.2)),
        "This is the share among people who followed the instructions. It holds for everyone if following them is unrelated to the answer.",
    ),
    (
        lambda: difference_words(DIFFERENCE),
        "Asked by question 1, 18 more of 100 than by question 2 (between 5 and 31); were they the same, chance would "
        "set them as far apart with p = 0.010.",
    ),
    (
        lambda: difference_words(DIFFERENCE, tested=False),
        "Asked by question 1, 18 more of 100 than by question 2 (between 5 and 31).",
    ),
    (
        lambda: together_words(ArmsTogether(0.2, 0.15, 0.25, 0.5)),
        "One share for all of them is between 15 and 25 of 100, and fits them (p = 0.500).",
    ),
    (
        lambda: together_words(ArmsTogether(0.2, 0.15, 0.25, 0.001)),
        "One share for all of them would be between 15 and 25 of 100, but does not fit them (p = 0.001).",
    ),
    (
        lambda: arms.uncompared_words([SECOND], 10),  # type: ignore[list-item]
        "Question 2 asks for the same and is not compared: fewer than 10 people answered it or, without chance, gave "
        "one of its answers.",
    ),
    (lambda: HIGHER_IS_NO_PROOF, "A higher estimate is no proof of a better one: whoever taps anything,"),
    (
        lambda: arms.arm_sizes_words(SIZES),
        "Chance alone would set them as far from that with p < 0.001: people may have left one arm more often, and "
        "then those in the arms are not alike.",
    ),
    (
        lambda: list_words(CONTROL, TREATMENT),
        "“I have cheated”: about 35 of 100 people (95% confidence interval: 17 to 53).",
    ),
    (
        lambda: list_words(CONTROL, TREATMENT, step=20),
        "Fewer than 10 people gave one of the numbers. So only the difference is told, always with 95% and in steps of "
        "20 of 100: from more one could compute how many gave which number.",
    ),
    (
        lambda: list_words(CONTROL, TREATMENT),
        "The difference assumes that the sensitive statement does not change how people count the others, and that nobody denies it.",
    ),
    (
        lambda: list_words([10, 50, 100, 240], [120, 160, 60, 40, 20], suspicious=True),
        "the sensitive statement probably changed what people counted of the others. Do not trust the estimate.",
    ),
    (
        lambda: list_words([150, 40, 10, 0], [0, 0, 30, 90, 80], suspicious=True),
        "No share lies there: chance alone hardly does that.",
    ),
    (
        lambda: list_words([20, 80, 70, 30], [25, 80, 70, 25, 0]),
        "No share is like that, but a difference of two groups can be: chance dealt people to the arms.",
    ),
    (
        lambda: list_words([0, 0, 30, 0], [0, 0, 30, 0, 0]),
        "about 0 of 100 people; no interval, as all of each arm sent the same number.",
    ),
    (
        lambda: plan.expectation(PRECISION, ITEM, of_mean=False),
        "With 30 people expect ±35 points; for ±5 you need 1,476.",
    ),
    (
        lambda: plan.price(PRECISION, ITEM, of_mean=False),
        "The price of chance: one direct and honest answer is worth 4.8 reports at this design.",
    ),
    (
        lambda: plan.assumption(AssumedShare(0.01, "limited"), ITEM, "Yes"),
        "That is if 1 of 100 would truly answer Yes: the estimate is nearer to none or to all, where no plan by the "
        "normal approximation holds.",
    ),
    (
        lambda: plan.assumption(AssumedShare(0.5, "unknown"), ITEM, "Yes"),
        "That is if 50 of 100 would truly answer Yes: respondents probably did not follow the procedure, so there is "
        "no estimate to go by.",
    ),
    (
        lambda: privacy.report_words(ONE, 1, Fraction(3, 10)),
        "If the true answer of 30 of 100 people is “Yes”, then among those who reported “Yes” it is that of 56 of 100.",
    ),
    (
        lambda: privacy.guess_words(guesser(ITEM, 1, 1.0)),
        "Whoever guesses from a report whether the true answer is “Yes” or “No” is right at most 75 of 100 times, if "
        "half the people have either answer.",
    ),
    (
        lambda: " ".join(privacy.proofs(one_report(CARDS, 1, [0.7, 0.3]))),
        "The report “No to both” proves that the true answer is not “Yes”.",
    ),
    (
        lambda: coverage_words(ITEM, 10, "wilson", 0.95),
        "With 10 answers an interval by this method holds the true share in as few as 91.9 of 100 surveys, not 95, if "
        "that share is about 87.5%. Clopper–Pearson’s never holds less often than it says.",
    ),
    (
        lambda: simultaneous_words(3, FigureOptions(simultaneous=True)),
        "The intervals of these 3 shares hold all at once (Bonferroni).",
    ),
    (
        lambda: two_arms.unidentified_words(MODEL),
        "Questions 1 and 2 add chance in the same proportions, so that they tell one share only:",
    ),
    (lambda: two_arms.guess_words(None), "To do without the guess takes a second arm with other probabilities,"),
    (
        lambda: " ".join(regression.arms_lines(FITTED, MODEL)),
        "By this regression 20 of 100 (between 15 and 26) say No whatever the coins say; the odds count them as "
        "no Yes.",
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
            "Which class somebody is in is then stored as it is, without chance.",
        ),
        (
            lambda: page_of("survey-results-relate", _answered(*TWO, counts={"11": 50, "10": 25, "01": 30, "00": 55})),
            "The usual tests of the reported table are therefore valid tests as they stand",
        ),
        (
            lambda: _results("-bayes", yes_no(leave_out="no")),
            "a report of this question changes the odds between two answers at most 3-fold (e to the ε, ε = 1.10).",
        ),
        (
            lambda: _results("-weights", yes_no(leave_out="no"), plain(("Arts", "Law"), "?"), query="?q2-0=50&q2-1=50"),
            "Weights correct only for the variables they use: people who did not answer may differ in other ways.",
        ),
        (
            lambda: _results("-plan", GUESS),
            "Question 1 takes a guessed share of Yes to the innocuous question as true.",
        ),
        (lambda: _guessed(""), "All this holds only if a guessed share is right."),
        (lambda: _guessed(""), "say Yes to that (a guess, on which these odds depend)"),
        (lambda: _guessed("own-coin/"), "This share is a guess."),
    ],
)
def test_what_a_page_warns_of_is_said_on_it(page: Callable[[], str], sentence: str) -> None:
    assert says(page(), sentence)
