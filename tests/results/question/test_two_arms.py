"""Two arms read by a model that tells one thing more than a share: every number on the page is the core's."""

import itertools
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from django.test.utils import ContextList

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.figures import models_of
from surveys.drafts.services.surveys import QuestionRefused
from surveys.estimation.claims import FigureOptions
from surveys.estimation.planning.size import sample_size
from surveys.estimation.planning.two_groups import two_group_plan
from surveys.estimation.two_groups.estimate import TwoGroupEstimate
from surveys.estimation.two_groups.models import (
    estimate_cheating_detection,
    estimate_lie_detector,
    estimate_unrelated_unknown,
)
from surveys.exporting.files.codebook import codebook_of
from surveys.exporting.selectors import described_items
from surveys.linting.selectors import findings_of
from surveys.models import Survey
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.arms import compare_arms
from surveys.results.figures.two_arms import TwoArmsResult, fit_two_arms
from surveys.results.pages.plan import two_arms_sentence
from surveys.results.sections.two_arms import (
    WORDS,
    computed_words,
    guess_words,
    model_finding,
    model_table,
    model_terms,
    unidentified_words,
)
from tests.factories import fill, kuk, make_draft, make_open, mangat, unrelated, yes_no
from tests.pages import page_of, words_of
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db
ARMS = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]
COUNTS = ([302, 98], [228, 172])


def in_two_arms(ask: Callable[..., Question], one: dict[str, Any], other: dict[str, Any]) -> list[Question]:
    return [ask(arms=[1], quantity=1, leave_out="no", **one), ask(arms=[2], quantity=1, leave_out="no", **other)]


def forced(first: tuple[int, int] = (1, 4), second: tuple[int, int] = (3, 4)) -> list[Question]:
    one, other = ({"parameters": {"truth": [1, 2], "yes": list(yes)}} for yes in (first, second))
    return in_two_arms(yes_no, one, other)


def mangats() -> list[Question]:
    return in_two_arms(mangat, {"parameters": {"p": [4, 5]}}, {"parameters": {"p": [2, 5]}})


def unrelateds(source: str = "Births by month.", **changes: Any) -> list[Question]:
    details = unrelated().details | {"innocuous_source": source}
    one, other = ({"parameters": {"p": p, "q": [1, 4]}, "details": details} for p in ([7, 10], [3, 10]))
    return in_two_arms(unrelated, one, other | changes)


def _forced_both_ways(counts1: list[int], counts2: list[int], p1: str, p2: str) -> TwoGroupEstimate:
    return estimate_cheating_detection(counts1, counts2, p1, p2, no1=p2, no2=p1)


# What the core's own estimators say of the same counts, by other functions than the page's.
CORES: list[tuple[list[Question], str, Callable[..., TwoGroupEstimate], tuple]] = [
    (forced(), "cheating_detection", _forced_both_ways, ("1/8", "3/8")),
    (mangats(), "lie_detector", estimate_lie_detector, ("4/5", "2/5")),
    (unrelateds(), "unrelated_unknown", estimate_unrelated_unknown, ("7/10", "3/10")),
]
IDS = [name for _asked, name, _estimator, _chances in CORES]


def answered(asked: list[Question], counts: tuple[list[int], list[int]] = COUNTS) -> Survey:
    """Arms of these counts of No and Yes; the stored reports end with the arm's code."""
    survey = make_open(*asked, arms=ARMS)
    (no1, yes1), (no2, yes2) = counts
    fill(survey, {"0-0": no1, "1-0": yes1, "-01": no2, "-11": yes2})
    return close_survey(survey=survey)


def read(survey: Survey, model: str = "", number: int = 1) -> str:
    query = f"?model={model}" if model else ""
    return words_of(page_of("survey-results-question", survey, number=number, query=query))


@pytest.mark.parametrize(("asked", "name", "estimator", "chances"), CORES, ids=IDS)
def test_every_number_of_a_model_is_the_cores(
    asked: list[Question], name: str, estimator: Callable[..., TwoGroupEstimate], chances: tuple
) -> None:
    counts = ([150, 250], [110, 290]) if name == "lie_detector" else COUNTS
    survey = answered(asked, counts)
    definition = definition_of(survey)
    (arms,) = models_of(definition.questions[0], definition.questions)
    assert arms.value == f"{name}-1-2"
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared
    fitted, expected = fit_two_arms(arms, compared, FigureOptions()), estimator(*counts, *chances)
    assert fitted
    assert fitted.n == (400, 400)
    assert fitted.misfit == expected.misfit
    for ours, theirs in zip(fitted.parameters, expected.parameters, strict=True):
        interval = theirs.interval(0.95)
        assert (ours.name, ours.moment, ours.estimate) == (theirs.name, theirs.point, theirs.constrained)
        assert (ours.low, ours.high) == (interval.low, interval.high)
    page = read(survey, arms.value)
    assert all(says(page, sentence) for sentence in (*model_finding(fitted, 0.95), *computed_words(fitted)))
    for parameter in expected.parameters:
        assert str(WORDS[name].parameters[parameter.name])[1:] in page
        assert f"{100 * parameter.point:.1f}".replace("-", "−") in page
    assert says(read(survey, arms.value, number=2), model_finding(fitted, 0.95)[0])


def simulated(drafts: list[Question], truth: Callable[[np.random.Generator, int], np.ndarray]) -> Survey:
    """Four hundred people an arm; `truth` is one of an arm's design columns for each, or −1 for always No."""
    generator, counts = np.random.default_rng(20_261_126), {}
    survey = make_open(*drafts, arms=ARMS)
    for arm, question in enumerate(definition_of(survey).questions):
        of_yes = np.array([0.0, *(float(share) for share in question.design.matrix[1])])
        yes = int((generator.random(400) < of_yes[truth(generator, 400) + 1]).sum())
        place = [["1-0", "0-0"], ["-11", "-01"]][arm]
        counts |= dict(zip(place, (yes, 400 - yes), strict=True))
    fill(survey, counts)
    return close_survey(survey=survey)


def test_of_a_simulated_class_the_true_shares_of_cheaters_are_inside() -> None:
    drafts = forced((1, 10), (9, 10))
    survey = simulated(drafts, lambda generator, n: generator.choice([1, 0, -1], n, p=[0.3, 0.45, 0.25]))
    definition = definition_of(survey)
    (arms,) = models_of(definition.questions[0], definition.questions)
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared
    fitted = fit_two_arms(arms, compared, FigureOptions())
    assert fitted
    for parameter, true in zip(fitted.parameters, (0.3, 0.45, 0.25), strict=True):
        assert parameter.low <= true <= parameter.high
    # The fault that must be caught: read as one share in both arms, cheaters are taken for No.
    assert compared.together.fits < 0.05 or not compared.together.low <= 0.3 <= compared.together.high


def test_one_share_is_read_until_a_model_is_chosen_in_the_address() -> None:
    survey = answered(forced())
    page, context = page_and_context("survey-results-question", survey, number=1)
    assert '<option value="cheating_detection-1-2">' in page
    assert "table" not in _section(context)
    chosen, context = page_and_context("survey-results-question", survey, "?model=cheating_detection-1-2", number=1)
    assert '<option value="cheating_detection-1-2" selected>' in chosen
    assert "table" in _section(context)
    page, context = page_and_context("survey-results-question", survey, "?model=lie_detector-1-2", number=1)
    [notice] = context["notices"]
    assert "“lie_detector-1-2”" in notice
    assert says(page, notice)
    assert "table" not in _section(context)


def _section(context: ContextList) -> Mapping[str, Any]:
    """Return what a question's page has of two arms."""
    [section] = [each.context for each in context["sections"] if each.below.endswith("two_arms.html")]
    return section


def test_arms_that_mix_alike_are_offered_no_model_and_told_so_when_asked() -> None:
    survey = answered(forced((1, 2), (1, 2)))
    assert 'name="model"' not in page_of("survey-results-question", survey, number=1)
    questions = definition_of(survey).questions
    (arms,) = models_of(questions[0], questions)
    assert not arms.identified
    assert says(read(survey, "cheating_detection-1-2"), unidentified_words(arms))


def _fitted(survey: Survey) -> TwoArmsResult:
    """Return what the one model of a survey finds."""
    definition = definition_of(survey)
    (arms,) = models_of(definition.questions[0], definition.questions)
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared
    return fit_two_arms(arms, compared, FigureOptions())


def test_what_no_shares_can_give_has_no_figures_to_trust() -> None:
    survey = answered(forced(), ([150, 250], [210, 190]))
    page, fitted = read(survey, "cheating_detection-1-2"), _fitted(survey)
    assert fitted.misfit.suspicious
    assert [row[1:3] for row in model_table(fitted).rows] == [("not reliable", "–")] * 3
    assert page.count("not reliable") == 3
    [sentence] = model_finding(fitted, 0.95)
    assert says(page, sentence)
    survey = answered(forced(), ([200, 200], [203, 197]))
    fitted = _fitted(survey)
    assert fitted.misfit.outside
    assert all(says(read(survey, "cheating_detection-1-2"), sentence) for sentence in model_terms(fitted))


def test_of_nobody_no_share_says_so() -> None:
    # λ = 1 − p in both arms: nobody with Yes.
    survey = answered(mangats(), ([320, 80], [160, 240]))
    assert "none (no such people)" in read(survey, "lie_detector-1-2")
    assert len(model_finding(_fitted(survey), 0.95)) == 1


def test_a_guessed_share_is_left_to_the_two_arms() -> None:
    survey = answered(unrelateds(""))
    page = page_of("survey-results-question", survey, number=1)
    assert 'data-says="guessed-figure"' in page
    fitted = _fitted(survey)
    assert says(page, guess_words(fitted))
    assert all(says(page, sentence) for sentence in model_finding(fitted, 0.95))
    assert "25" in model_finding(fitted, 0.95)[1]
    assert page_of("survey-results", survey).count('data-says="guessed-share"') == 2
    alike = unrelateds("", parameters={"p": [7, 10], "q": [1, 4]})
    assert says(read(answered(alike)), guess_words(None))
    assert "guess" not in read(answered(unrelateds()))


def test_a_guessed_share_is_marked_on_every_tab_and_in_every_file() -> None:
    survey = answered(unrelateds(""))
    for tab in ("groups", "relate", "methods", "plan"):
        assert page_of(f"survey-results-{tab}", survey).count('data-says="guessed-share"') == 2, tab
    assert 'data-says="guessed-share"' not in page_of("survey-results-question", survey, number=2)
    definition = definition_of(survey)
    assert [item.get("guessed") for item in described_items(definition)] == ["q", "q"]
    assert [column.parameters.endswith("(guessed)") for column in codebook_of(definition)] == [True, True]
    known = definition_of(answered(unrelateds()))
    assert not any("guessed" in item for item in described_items(known))
    assert not any("guessed" in column.parameters for column in codebook_of(known))


@pytest.mark.parametrize(
    ("drafts", "unmended"),
    [
        (lambda: [unrelated(details=unrelated().details | {"innocuous_source": ""})], True),
        (lambda: unrelateds(""), False),
        (lambda: unrelateds("", parameters={"p": [7, 10], "q": [1, 4]}), True),
        (unrelateds, False),
    ],
)
def test_the_linter_finds_a_guess_that_no_second_arm_mends(
    drafts: Callable[[], list[Question]], unmended: bool
) -> None:
    asked = drafts()
    survey = make_draft(*asked, arms=ARMS if len(asked) > 1 else [])
    assert ("guessed_share" in {finding.rule for finding in findings_of(survey)}) is unmended


def test_another_innocuous_question_makes_no_pair() -> None:
    other = unrelated().details | {"innocuous": "Is your door’s number odd?"}
    survey = make_open(*unrelateds(details=other), arms=ARMS)
    questions = definition_of(survey).questions
    assert models_of(questions[0], questions) == ()


def test_several_of_three_arms_are_pairs_of_their_own() -> None:
    drafts = [
        yes_no(arms=[arm], quantity=1, parameters={"truth": [1, 2], "yes": [arm, 5]}, leave_out="no")
        for arm in (1, 2, 3)
    ]
    arms = [*ARMS, {"name": "Third", "weight": 1}]
    survey = make_open(*drafts, arms=arms)
    questions = definition_of(survey).questions
    values = [[each.value for each in models_of(question, questions)] for question in questions]
    pairs = [f"cheating_detection-{a}-{b}" for a, b in itertools.combinations((1, 2, 3), 2)]
    assert values == [pairs[:2], [pairs[0], pairs[2]], pairs[1:]]


def test_the_plan_says_what_both_arms_need_together() -> None:
    survey = answered(forced())
    expected = estimate_cheating_detection(*COUNTS, "1/8", "3/8", no1="3/8", no2="1/8")
    weights = ((Fraction(1, 2), Fraction(1, 8)), (Fraction(1, 2), Fraction(3, 8)))
    always_no = Fraction(expected.always_no.constrained).limit_denominator(10**15)
    plan = two_group_plan("cheating_detection", weights, always_no)
    needed = sample_size(design=plan, prevalence=expected.constrained, half_width=0.1)
    page, context = page_and_context("survey-results-plan", survey, "?item=1")
    planned = context["two_arms"]
    assert (planned.wanted, planned.needed, planned.n) == (0.1, needed, 800)
    assert says(page, two_arms_sentence(planned))
    assert "two_arms" not in context_of("survey-results-plan", survey, "?item=1&option=0")
    assert context_of("survey-results-plan", answered(forced((1, 2), (1, 2))))["two_arms"] is None


def test_the_plan_is_of_as_many_people_as_are_typed() -> None:
    survey = answered(forced())
    now, typed = (
        context_of("survey-results-plan", survey, query)["two_arms"] for query in ("?item=1", "?item=1&n=6400")
    )
    assert (now.n, typed.n) == (800, 6400)
    # Eight times as many people, √8 times as precise.
    assert now.half_width / typed.half_width == pytest.approx(8**0.5, rel=0.05)


def test_no_plan_is_made_of_a_model_that_does_not_fit_or_for_shares_beyond_all() -> None:
    misfit = answered(forced(), ([150, 250], [210, 190]))
    assert context_of("survey-results-plan", misfit)["two_arms"] is None
    assert context_of("survey-results-plan", answered(forced()), "?share=95")["two_arms"] is None


def test_only_one_card_is_drawn() -> None:
    with pytest.raises(QuestionRefused) as refused:
        make_draft(kuk(parameters={"p1": [3, 4], "p2": [1, 4], "draws": 2}))
    assert refused.value.message_dict.keys() == {"parameters"}
    make_draft(kuk(parameters={"p1": [3, 4], "p2": [1, 4], "draws": 1}))
