"""Regressions of what two arms tell together: every number is the core's, and a known truth is found."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.test.utils import ContextList

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.list_experiment.regression import ListFit, fit_list
from surveys.estimation.list_experiment.types import estimate_list
from surveys.estimation.regression.two_groups import fit_logistic_two_groups
from surveys.estimation.two_groups.models import estimate_unrelated_unknown
from surveys.models import Survey
from surveys.numbers.words import share_with_limits
from surveys.privacy.designs import Design
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.told import recode
from surveys.results.figures.regression.terms import FittedShare
from tests.factories import SENSITIVE, fill, make_open, mangat, plain, two_lists, unrelated, yes_no
from tests.pages import page_of, said_on
from tests.results.regression.test_regression import same_as_the_core, same_tests
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db

ARMS = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}]
PLAIN: dict[str, Any] = {"design": "plain", "parameters": {}}
COIN: dict[str, Any] = {"parameters": {"truth": [4, 5]}}
SUBJECT = plain(("Arts", "Science", "Law"), "What do you study?")
FULL = yes_no("All?", leave_out="no")
N = 400
# The log odds of the sensitive item in each subject, and how often each innocuous item holds.
SaysYes = Callable[[int, np.ndarray], np.ndarray]
EFFECTS = np.array([-1.5, 0.5, -0.5])
COMMON = np.array([0.35, 0.5, 0.5])


def _reports(generator: np.random.Generator, design: Design, truths: np.ndarray) -> np.ndarray:
    columns = np.array(design.matrix, dtype=float).T.cumsum(axis=1)
    return (generator.random((len(truths), 1)) > columns[truths]).sum(axis=1)


def _drawn(design: dict[str, Any]) -> tuple[Survey, np.ndarray]:
    """Return a closed survey with lists answered by N people an arm, and its rows: arm, report, subject."""
    generator = np.random.default_rng(5)
    survey = make_open(SUBJECT, *two_lists(**design), FULL, arms=ARMS)
    rows = []
    for arm, question in enumerate(definition_of(survey).questions[1:3]):
        subjects = generator.integers(0, 3, N)
        has = generator.random(N) < 1 / (1 + np.exp(-EFFECTS[subjects]))
        counted = generator.binomial(3, COMMON[subjects]) + arm * has
        rows.append(np.column_stack([np.full(N, arm), _reports(generator, question.design, counted), subjects]))
    rows_drawn = np.vstack(rows)
    shapes = ("{2}{1}-00", "{2}-{1}01")
    fill(survey, Counter(shapes[row[0]].format(*row) for row in rows_drawn.tolist()))
    return close_survey(survey=survey), rows_drawn


def _together(survey: Survey) -> tuple[list[int], list[int]]:
    """Return as which code each number of both lists is told, which on a plain list may be with others."""
    definition = definition_of(survey)
    _definition, snapshot = recode(definition, snapshot_of(survey, definition))
    lists = definition.questions[1:3]
    short, long = (snapshot.recoded.get(each.first.number, np.arange(9))[: each.design.m].tolist() for each in lists)
    return short, long


def _core(
    survey: Survey, rows: np.ndarray, together: tuple[list[int], list[int]], *, penalized: bool = False
) -> ListFit:
    first, second = definition_of(survey).questions[1:3]
    reports = np.column_stack([rows[:, 0], [together[arm][code] for arm, code in rows[:, :2].tolist()], rows[:, 2]])
    reports, weights = np.unique(reports, axis=0, return_counts=True)
    x = np.column_stack([np.ones(len(reports)), reports[:, [2]] == np.arange(1, rows[:, 2].max() + 1)])
    return fit_list(
        reports[:, 1],
        reports[:, 0],
        x,
        designs=(first.design, second.design),
        weights=weights,
        counts="beta_binomial",
        together=together,
        penalized=penalized,
    )


def _page_and_context(survey: Survey, query: str) -> tuple[str, ContextList]:
    return page_and_context("survey-results-regression", survey, f"?outcome=2and3&{query}")


def test_every_number_of_a_list_is_the_cores_and_the_truth_is_inside() -> None:
    survey, rows = _drawn(COIN)
    fit = _core(survey, rows, _together(survey))
    page, context = _page_and_context(survey, "predictor=1")
    same_as_the_core(page, fit, kind="observed", level=0.95)
    same_tests(page, fit, [[1, 2]], 2 * N)
    first, second = (question.design for question in definition_of(survey).questions[1:3])
    counts = [np.bincount(rows[rows[:, 0] == arm, 1], minlength=4 + arm) for arm in (0, 1)]
    means, text = estimate_list(*counts, designs=(first, second)), said_on(page)
    within, apart = fit.prevalence_interval(), means.difference.limits(0.95)
    for share in ((fit.prevalence, within.low, within.high), (means.point, *apart)):
        assert share_with_limits(*share) in text
    limits, truth = fit.interval(), np.array([EFFECTS[0], *(EFFECTS[1:] - EFFECTS[0])])
    assert ((limits.low[:3] <= truth) & (truth <= limits.high[:3])).all()
    assert (context["answer"], context["found"].blocks[0].reference) == (SENSITIVE, "Arts")


def test_numbers_that_are_told_together_count_as_one_of_them() -> None:
    survey, rows = _drawn(PLAIN)
    together = _together(survey)
    assert together == ([0, 1, 2, 2], [0, 0, 1, 2, 2])
    page, context = _page_and_context(survey, "predictor=1&se=sandwich&level=.99")
    same_as_the_core(page, _core(survey, rows, together), kind="sandwich", level=0.99)
    assert context["found"].merged
    assert all(says(page, line) for line in context["lines"])
    # The fault that must be caught: numbers as they came, of which some are of few.
    with pytest.raises(AssertionError):
        same_as_the_core(page, _core(survey, rows, (list(range(4)), list(range(5)))), kind="sandwich", level=0.99)


def test_where_numbers_are_rare_the_difference_in_means_is_told_on_its_own_page_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey, _rows = _drawn(PLAIN)
    regression = _page_and_context(survey, "predictor=1")[1]["found"]
    assert regression.prevalence
    assert regression.beside
    monkeypatch.setattr("surveys.results.figures.lists._few_gave_one", lambda _pair, _snapshot: True)
    page, context = _page_and_context(survey, "predictor=1")
    assert context["found"].prevalence
    assert context["found"].beside is None
    assert all(says(page, line) for line in context["lines"])


def _two_arms(ask: Callable[..., Question], parameters: list[dict], says: SaysYes) -> tuple[Survey, np.ndarray]:
    n = 600
    drafts = [
        ask(arms=[arm], quantity=1, leave_out="no", parameters=each) for arm, each in enumerate(parameters, start=1)
    ]
    survey = make_open(SUBJECT, *drafts, arms=ARMS)
    generator, rows = np.random.default_rng(3), []
    for arm in range(2):
        subjects = generator.integers(0, 3, n)
        yes = says(arm, 1 / (1 + np.exp(-EFFECTS[subjects])))
        rows.append(np.column_stack([np.full(n, arm), generator.random(n) < yes, subjects]))
    rows_drawn = np.vstack(rows).astype(int)
    shapes = ("{2}{1}-0", "{2}-{1}1")
    fill(survey, Counter(shapes[row[0]].format(*row) for row in rows_drawn.tolist()))
    return close_survey(survey=survey), rows_drawn


def _unrelated() -> tuple[Survey, np.ndarray]:
    p = np.array([0.7, 0.3])
    parameters = [{"p": [int(10 * share), 10], "q": [1, 4]} for share in p]
    return _two_arms(unrelated, parameters, lambda arm, has: p[arm] * has + (1 - p[arm]) * 0.4)


def test_every_number_of_an_unrelated_question_is_the_cores_and_its_unknown_share_is_found() -> None:
    survey, rows = _unrelated()
    x = np.column_stack([np.ones(len(rows)), rows[:, [2]] == [1, 2]])
    asked = np.where(rows[:, 0] == 0, 0.7, 0.3)
    fit = fit_logistic_two_groups("unrelated_unknown", rows[:, 1], x, np.column_stack([1 - asked, asked]))
    page, _context = _page_and_context(survey, "predictor=1")
    same_as_the_core(page, fit, kind="observed", level=0.95)
    same_tests(page, fit, [[1, 2]], len(rows))
    limits, text = fit.interval(0.95), said_on(page)
    truth = np.array([EFFECTS[0], *(EFFECTS[1:] - EFFECTS[0]), 0.4])
    assert ((limits.low <= truth) & (truth <= limits.high)).all()
    # The fault that must be caught: the share that was told, 25 of 100, is not the one of these people.
    assert not limits.low[3] <= 0.25 <= limits.high[3]
    within = fit.prevalence_interval(0.95)
    counts = [np.bincount(rows[rows[:, 0] == arm, 1], minlength=2).tolist() for arm in (0, 1)]
    both = estimate_unrelated_unknown(*counts, "7/10", "3/10")
    alone = both.interval(0.95)
    for share, low, high in (
        (fit.prevalence, within.low, within.high),
        (both.constrained, alone.low, alone.high),
        (fit.second_share, limits.low[3], limits.high[3]),
    ):
        assert share_with_limits(share, low, high) in text


MODELS: dict[str, tuple[Callable[..., Question], list[dict], SaysYes, list[list[float]], float]] = {
    # A fifth say No whatever the coins say; half of the others' answers are forced, to Yes in 1 and in 9 of 10 cases.
    "cheating_detection": (
        yes_no,
        [{"truth": [1, 2], "yes": [1, 10]}, {"truth": [1, 2], "yes": [9, 10]}],
        lambda arm, has: 0.5 * has + (0.05, 0.45)[arm] * 0.8,
        [[0.5, 0.05], [0.5, 0.45]],
        0.2,
    ),
    # Of those with Yes 8 of 10 say so.
    "lie_detector": (
        mangat,
        [{"p": [1, 5]}, {"p": [4, 5]}],
        lambda arm, has: 0.8 * has + (1 - has) * (0.8, 0.2)[arm],
        [[0.8, 0.2], [0.2, 0.8]],
        0.8,
    ),
}


@pytest.mark.parametrize("model", MODELS)
def test_a_model_of_two_arms_is_regressed_with_its_other_share(model: str) -> None:
    ask, parameters, says_yes, ends, share = MODELS[model]
    survey, rows = _two_arms(ask, parameters, says_yes)
    x = np.column_stack([np.ones(len(rows)), rows[:, [2]] == [1, 2]])
    fit = fit_logistic_two_groups(model, rows[:, 1], x, np.array(ends)[rows[:, 0]])
    page, context = _page_and_context(survey, "predictor=1")
    same_as_the_core(page, fit, kind="observed", level=0.95)
    same_tests(page, fit, [[1, 2]], len(rows))
    limits, regression = fit.interval(0.95), context["found"]
    truth = np.array([EFFECTS[0], *(EFFECTS[1:] - EFFECTS[0]), share])
    # Four limits at 99.9%: of another seed one in 250 would miss.
    wide = fit.interval(0.999)
    assert ((wide.low <= truth) & (truth <= wide.high)).all()
    within = fit.prevalence_interval(0.95)
    assert _numbers(regression.second) == pytest.approx((fit.second_share, limits.low[3], limits.high[3]))
    assert _numbers(regression.prevalence) == pytest.approx((fit.prevalence, within.low, within.high))
    assert all(says(page, line) for line in context["lines"])
    # The twin: of one arm alone it is an ordinary regression, without that share.
    alone = context_of("survey-results-regression", survey, "?outcome=2&predictor=1")
    assert alone["found"].second is None
    assert "lines" not in alone


def _numbers(fitted: FittedShare) -> tuple[float, float, float]:
    return fitted.share, fitted.low, fitted.high


def _filled(
    counts: dict[str, int], *more: Question, design: dict[str, Any] = COIN, subject: Question = SUBJECT
) -> Survey:
    survey = make_open(subject, *two_lists(**design), FULL, *more, arms=ARMS)
    fill(survey, counts)
    return close_survey(survey=survey)


def _lists(*by_subject: tuple[tuple[int, ...], tuple[int, ...]]) -> dict[str, int]:
    """Return how often each report came, from the counts of both lists by subject; the last character is the arm's."""
    return {
        shape.format(subject, code): n
        for subject, lists in enumerate(by_subject)
        for shape, counts in zip(("{}{}-00", "{}-{}01"), lists, strict=True)
        for code, n in enumerate(counts)
        if n
    }


SHORT, LONG = (20, 60, 50, 20), (16, 45, 52, 38, 14)
LISTS = _lists((SHORT, LONG), (SHORT, LONG))
# What the coin makes of people of whom exactly one innocuous statement is true, and of nobody the sensitive one.
NOBODY = (10, 170, 10, 10), (8, 168, 8, 8, 8)
SKIPPABLE = plain(("Arts", "Science"), "What do you study?", leave_out="visibly")


def test_the_pages_of_both_lists_lead_here() -> None:
    survey = _filled(LISTS)
    for number in (2, 3):
        assert "outcome=2and3" in page_of("survey-results-question", survey, number=number)
    assert "outcome=4" in page_of("survey-results-question", survey, number=4)


@pytest.mark.parametrize("kind", ["observed", "sandwich"])
def test_where_a_subject_says_all_the_penalized_likelihood_answers(kind: str) -> None:
    short = (20, 60, 60, 20)
    by_subject = (short, short), (short, (0, *short))
    survey = _filled(_lists(*by_subject), design=PLAIN)
    page, context = _page_and_context(survey, f"predictor=1&se={kind}")
    regression = context["found"]
    assert (regression.problem, regression.penalized, regression.profiled) == ("", True, True)
    assert all(says(page, line) for line in context["lines"])
    rows = [
        [[arm, code, subject]] * count
        for subject, lists in enumerate(by_subject)
        for arm, counts in enumerate(lists)
        for code, count in enumerate(counts)
    ]
    fit = _core(survey, np.concatenate([each for each in rows if each]), _together(survey), penalized=True)
    same_as_the_core(page, fit, kind="observed", level=0.95)
    same_tests(page, fit, [[1]], regression.n)


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("counts", "query", "problem"),
        [
            (LISTS, "", "nothing"),
            (LISTS | {"21-00": 30}, "predictor=1", "one_arm"),
            (_lists(NOBODY, NOBODY), "predictor=1", "rare"),
            (_lists(((60, 0, 0, 90), (160,)), ((0, 0, 0, 50), (40,))), "predictor=1", "misfit"),
        ],
    )
    def test_it_has_a_reason(self, counts: dict[str, int], query: str, problem: str) -> None:
        page, context = _page_and_context(_filled(counts), query)
        assert context["found"].problem == problem
        assert 'data-table="coefficients"' not in page

    def test_of_too_few_in_one_arm_nothing_is_told(self) -> None:
        counts = _lists((SHORT, LONG), (SHORT, LONG))
        skipped = {f"-{reports[1:]}" if reports[-1] == "1" else reports: 30 for reports in counts}
        context = _page_and_context(_filled(skipped, subject=SKIPPABLE), "predictor=1")[1]
        assert context["found"].problem == "too_few_in_arm"

    def test_two_predictors_that_are_one_are_not_told_apart(self) -> None:
        counts = {f"{reports[:4]}{reports[0]}{reports[4:]}": n for reports, n in LISTS.items()}
        survey = _filled(counts, plain(("A", "B"), "And where?"))
        assert _page_and_context(survey, "predictor=1&predictor=5")[1]["found"].problem == "collinear"

    def test_protected_answers_and_the_lists_themselves_do_not_predict(self) -> None:
        page, context = _page_and_context(_filled(LISTS), "predictor=4&predictor=2&predictor=1")
        for number, notice in zip((4, 2), context["notices"], strict=True):
            assert f"question {number} " in notice
            assert says(page, notice)
        assert [item.key for item in context["query"].predictors] == ["1"]
        assert (context["found"].problem, context["found"].profiled) == ("", False)

    def test_a_list_that_is_told_of_everybody_alone_is_offered_and_says_why_nothing_predicts_it(self) -> None:
        survey = _filled(_lists(*[((4,) * 4, (4,) * 5)] * 3), design=PLAIN)
        sections = context_of("survey-results-question", survey, number=2)["sections"]
        assert any(section.context["words"].table for section in sections if "words" in section.context)
        page, context = _page_and_context(survey, "predictor=1")
        assert '<option value="2and3" lang="en" selected>' in page
        assert context["found"].problem == "not_beside"
        assert context["notices"] == []


def test_answers_nobody_gave_have_no_term_and_groups_predict_as_well() -> None:
    survey = make_open(SUBJECT, *two_lists(**COIN), FULL, arms=ARMS)
    for name, shift in (("Mon", 0), ("Tue", 9)):
        fill(survey, {reports: n + shift for reports, n in LISTS.items()}, group=add_group(survey=survey, name=name))
    survey = close_survey(survey=survey)
    regression = _page_and_context(survey, "predictor=1&groups=1")[1]["found"]
    assert [[(term.label, term.why) for term in block.terms] for block in regression.blocks] == [
        [("Tue", "")],
        [("Science", ""), ("Law", "few")],
    ]
    assert regression.n == 2 * sum(LISTS.values()) + 9 * len(LISTS)
    # The twin: without groups and subjects to tell apart there is nothing to predict by.
    assert _page_and_context(survey, "")[1]["found"].problem == "nothing"


def test_who_skipped_a_list_is_told_and_who_was_not_asked_it_is_not() -> None:
    survey = make_open(SUBJECT, *two_lists(**COIN, leave_out="visibly"), FULL, arms=ARMS)
    fill(survey, LISTS | {"0--00": 12, "1--01": 15})
    regression = _page_and_context(close_survey(survey=survey), "predictor=1")[1]["found"]
    assert (regression.n, regression.dropped) == (sum(LISTS.values()), 27)
