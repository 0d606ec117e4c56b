"""Planning the next survey: every number is the core's, every wish has an answer, and nothing typed breaks the page."""

import random
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import escape

from surveys.common.caches import PAGES
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.planning.comparison import compare_designs
from surveys.estimation.planning.power import power
from surveys.estimation.planning.precision import expected_half_width, expected_mean_half_width, mean_sample_size
from surveys.estimation.planning.size import sample_size
from surveys.estimation.prevalence import estimate_prevalence
from surveys.models import Survey
from surveys.privacy.designs import k_ary, warner
from surveys.questionnaire.asked_question import Item
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures import plan as figures
from surveys.results.pages.plan import assumption, expectation, groups_sentence, parse_plan, power_sentence, price
from tests.factories import (
    PROTECTED,
    crosswise,
    every_kind,
    fill,
    make_open,
    number_mean,
    one_of,
    several_of,
    triangular,
    unrelated,
    yes_no,
)
from tests.pages import holds, number, owner_of, rows_under, said_on, text_of
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db

PAGE = "survey-results-plan"
_LEVELS = {".80": 0.8, ".95": 0.95, ".99": 0.99}


def _page(survey: Survey, **query: object) -> str:
    PAGES.clear()
    response = owner_of(survey).get(reverse(PAGE, args=[survey.code]), query)
    assert response.status_code == 200
    return text_of(response)


def _says(page: str, name: str) -> str:
    """Return what a page says in one of its paragraphs."""
    [words] = re.findall(rf'data-says="{name}">(.*?)</p>', page)
    return words.strip()


def _class_of_30() -> Survey:
    # The share of Yes reports that a true share of 30% gives: .25 + .5·.3 = .4.
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 12, "0": 18})
    return survey


def _close(cell: str, value: float | None) -> None:
    """A cell holds this number, to the decimals that it has."""
    assert cell == "more than 10¹⁵" if value is None else holds(cell, value), (cell, value)


def _counts(survey: Survey, item: Item) -> list[int]:
    definition = definition_of(survey)
    reports = snapshot_of(survey, definition).on(item.number)
    given = reports.patterns[:, 0]
    return [int(reports.counts[given == code].sum()) for code in range(item.design.m)]


def _same_as_the_core(
    survey: Survey, item: Item, option: int, *, level: str = ".95", typed: float = 4, null: float = 15, n: int = 30
) -> None:
    """Compare every number in the tables and the sentences about one answer with the core called directly."""
    page = _page(survey, item=item.key, option=option, level=level, half_width=typed, null=null, n=n)
    confidence, design = _LEVELS[level], item.design
    estimate = estimate_prevalence(_counts(survey, item), design)
    share = 0.5 if estimate.misfit.suspicious else min(0.99, max(0.01, float(estimate.constrained[option])))
    widths = [0.03, 0.05, 0.10, typed / 100]

    def size(of: object, wanted: float, code: int) -> int:
        return sample_size(design=of, prevalence=share, half_width=wanted, option=code, confidence_level=confidence)

    for row, wanted in zip(rows_under(page, "People needed for each margin of error"), widths, strict=True):
        _close(row[0], 100 * wanted)
        _close(row[1], size(design, wanted, option))
        _close(row[2], size(warner(1), wanted, 1))

    randomized = expected_half_width(n=n, design=design, prevalence=share, option=option, confidence_level=confidence)
    direct = expected_half_width(n=n, design=warner(1), prevalence=share, confidence_level=confidence)
    costs = rows_under(page, "Designs compared")
    rows = [(randomized, [size(design, wanted, option) for wanted in widths], (randomized / direct) ** 2)]
    if np.isfinite(design.epsilon):
        rows += [
            (row.half_width, [size(row.design, wanted, 1) for wanted in widths], row.relative_n)
            for row in compare_designs(
                epsilon=design.epsilon, k=design.k, n=n, prevalence=share, confidence_level=confidence
            )
        ]
    else:
        rows.append((direct, [size(warner(1), wanted, 1) for wanted in widths], 1.0))
    assert len(costs) == len(rows)
    for cells, (half_width, sizes, relative) in zip(costs, rows, strict=True):
        if 100 * half_width < 100:
            _close(cells[1].split()[0], 100 * half_width)
        else:
            assert cells[1] == "±100 or more points"
        for cell, needed in zip(cells[2:-1], sizes, strict=True):
            _close(cell, needed)
        _close(cells[-1], relative)
    _same_tests(page, item, option, share=share, null=null / 100, n=n, significance=1 - confidence)


def _same_tests(page: str, item: Item, option: int, *, share: float, null: float, n: int, significance: float) -> None:
    planned = {"design": item.design, "prevalence": share, "option": option, "significance": significance}
    normal, exact, groups = rows_under(page, "Power and people needed")
    _chance(normal[1], power(n=n, null_prevalence=null, **planned))
    _close(normal[2], sample_size(power=0.8, null_prevalence=null, **planned))
    _chance(exact[1], power(n=n, null_prevalence=null, method="exact", **planned))
    if exact[2] != "not computed":
        _close(exact[2], sample_size(power=0.8, null_prevalence=null, method="exact", **planned))
    else:
        assert number(normal[2]) > figures.LARGEST_EXACT
    _chance(groups[1], power(n=n, other_prevalence=null, **planned))
    _close(groups[2], sample_size(power=0.8, other_prevalence=null, **planned))


def _chance(cell: str, value: float) -> None:
    if cell.startswith("less than"):
        assert value < 0.001
    elif cell.startswith("more than"):
        assert value > 0.999
    else:
        _close(cell, 100 * value)


def _random_class(seed: int, questions: list[object], n: int) -> Survey:
    survey = make_open(*questions)
    draw = random.Random(seed)  # noqa: S311 - answers of nobody
    items = definition_of(survey).items
    shares = [draw.random() for _ in items]
    rows = Counter(
        "".join(
            str(min(item.design.m - 1, int(draw.random() ** (0.6 + share) * item.design.m)))
            for item, share in zip(items, shares, strict=True)
        )
        for _ in range(n)
    )
    fill(survey, rows)
    return survey


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_number_of_a_share_is_the_cores(seed: int) -> None:
    questions = [yes_no(leave_out="no"), one_of(), several_of(leave_out="no"), crosswise(), unrelated(), triangular()]
    survey = _random_class(seed, questions, 40 + 100 * seed)
    draw = random.Random(seed)  # noqa: S311 - answers of nobody
    for item in definition_of(survey).items:
        option = draw.randrange(item.design.k)
        _same_as_the_core(
            survey,
            item,
            option,
            level=draw.choice(sorted(_LEVELS)),
            typed=draw.choice([1.5, 4, 20]),
            null=draw.choice([0, 3, 61]),
            n=draw.choice([7, 30, 250]),
        )


def test_that_comparison_notices_a_design_that_is_not_the_surveys(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _class_of_30()
    item = definition_of(survey).items[0]
    _same_as_the_core(survey, item, 1)
    monkeypatch.setattr(figures, "sample_size", lambda **planned: sample_size(**planned | {"design": warner((2, 3))}))
    with pytest.raises((AssertionError, ValueError)):
        _same_as_the_core(survey, item, 1)


@pytest.mark.parametrize("changes", [{}, PROTECTED])
def test_every_number_of_a_mean_is_the_cores(changes: dict[str, object]) -> None:
    survey = _random_class(5, [number_mean(**({"leave_out": "no"} | changes))], 60)
    item = definition_of(survey).items[0]
    page = _page(survey, half_width="0.6", n="200", level=".99")
    direct = warner(1) if item.design.k == 2 else k_ary(3, 1)
    parts = [0.03, 0.05, 0.10, 0.6 / 12]
    for row, part in zip(rows_under(page, "People needed for each margin of error"), parts, strict=True):
        _close(row[0], 12 * part)
        _close(row[1], mean_sample_size(part=part, design=item.design, confidence_level=0.99))
        _close(row[2], mean_sample_size(part=part, design=direct, confidence_level=0.99))
    expected = expected_mean_half_width(n=200, design=item.design, low=0, high=12, confidence_level=0.99)
    people, half_width = re.findall(r"±?([\d.]+)", _says(page, "expectation"))[:2]
    assert people == "200"
    _close(half_width, expected)
    # Tests are planned for shares.
    assert 'data-says="power"' not in page


def test_the_figures_of_a_class_of_thirty_are_those_to_remember() -> None:
    page, context = page_and_context(PAGE, _class_of_30())
    precision, assumed, test = context["precision"], context["assumed"], context["test"]
    assert (precision.n, precision.wishes[1].half_width, precision.wishes[1].n) == (30, 0.05, 1476)
    assert (precision.half_width, precision.direct) == pytest.approx((0.35, 0.16), abs=0.005)
    assert (assumed.share, assumed.source) == (pytest.approx(0.3), "found")
    assert (test.share, test.null) == pytest.approx((0.3, 0.15))
    assert (test.alternative, test.significance, test.target, test.needed) == ("two-sided", 0.05, 0.8, 315)
    item, answer = context["query"].item, context["query"].chosen.label
    assert says(page, expectation(precision, None))
    assert says(page, price(precision, None, protects=True))
    assert says(page, assumption(assumed, item, answer))
    assert says(page, power_sentence(test))
    assert says(page, groups_sentence(test))


def test_a_half_width_that_is_typed_has_a_sentence_and_a_row() -> None:
    page = _page(_class_of_30(), half_width="2,5")
    needed = sample_size(design=definition_of(Survey.objects.get()).items[0].design, prevalence=0.3, half_width=0.025)
    assert re.findall(r"±2\.5|[\d,]*\d", _says(page, "wish")) == ["±2.5", f"{needed:,}"]
    assert rows_under(page, "People needed for each margin of error")[-1][:2] == ["±2.5 points", f"{needed:,}"]


def test_a_half_width_of_a_mean_is_repeated_as_it_was_typed() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"1": 20, "0": 20})
    needed = mean_sample_size(part=0.425 / 12, design=definition_of(survey).items[0].design)
    wish = _says(_page(survey, half_width=".425"), "wish")
    assert re.findall(r"±[\d.]+ hours|[\d,]*\d", wish) == ["±0.425 hours", f"{needed:,}"]


def test_what_nobody_can_have_is_said_in_words() -> None:
    page = _page(_class_of_30(), half_width="0.0000001")
    assert re.findall(r"±?[\d.]+\d", _says(page, "wish")) == ["±0.0000001"]
    assert "more than 10¹⁵" in page


def test_one_sided_tests_need_fewer() -> None:
    survey = _class_of_30()
    sizes = []
    for alternative in ("two-sided", "one-sided"):
        table = rows_under(_page(survey, alternative=alternative), "Power and people needed")
        sizes.append(number(table[0][2]))
        design = definition_of(survey).items[0].design
        assert sizes[-1] == sample_size(
            design=design, prevalence=0.3, null_prevalence=0.15, power=0.8, alternative=alternative
        )
    assert sizes[1] < sizes[0]


def test_two_equal_shares_have_nothing_to_be_found() -> None:
    page, context = page_and_context(PAGE, _class_of_30(), "?share=20&null=20")
    assert context["test"].no_difference
    assert 'data-says="power"' not in page
    assert 'id="chart-power"' not in page


@pytest.mark.parametrize(("yes", "share", "source"), [(24, 0.01, "limited"), (5, 0.5, "unknown")])
def test_nobody_is_planned_for_as_one_in_a_hundred_and_what_cannot_be_as_half(
    yes: int, share: float, source: str
) -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": yes, "0": 100 - yes})
    page, context = page_and_context(PAGE, survey)
    assumed, query = context["assumed"], context["query"]
    assert (assumed.share, assumed.source) == (share, source)
    assert says(page, assumption(assumed, query.item, query.chosen.label))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("item", "9"),
        ("option", "7"),
        ("half_width", "wide"),
        ("half_width", "0"),
        ("half_width", "nan"),
        ("n", "0"),
        ("n", "1,000"),
        ("n", "12.5"),
        ("n", "9" * 19),
        ("share", "100"),
        ("share", "١٢"),
        ("share", "1_0"),
        ("share", "10" + "." + "0" * 20),
        ("share", "0.01"),
        ("null", "-1"),
        ("power", "100"),
        ("power", "<b>"),
        ("alternative", "three-sided"),
    ],
)
def test_what_cannot_be_is_named_and_the_default_taken(field: str, value: str) -> None:
    items = definition_of(make_open(yes_no())).items
    query = QueryDict(mutable=True)
    usual = parse_plan(query, items)
    query[field] = value
    asked = parse_plan(query, items)
    [notice] = asked.notices
    assert f"“{value}”" in notice
    assert replace(asked, notices=()) == usual


def test_what_cannot_be_is_named_on_the_page_as_text() -> None:
    page, context = page_and_context(PAGE, _class_of_30(), "?power=<b>&n=12.5")
    assert len(context["notices"]) == 2
    assert all(escape(notice) in page for notice in context["notices"])
    assert "<b>" not in page
    assert (context["precision"].n, context["precision"].wishes[1].n) == (30, 1476)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.slow), 10**15])
@pytest.mark.parametrize("share", ["0.1", "99.9"])
def test_no_extreme_puts_what_is_no_number_on_the_page(n: int, share: str) -> None:
    survey = make_open(*every_kind())
    items = definition_of(survey).items
    fill(survey, {"".join("0" for _ in items): 12})
    for key in ("1", "2", "4", "9", "11", "14"):
        page = said_on(_page(survey, item=key, n=n, share=share, null="0", half_width="0.001"))
        assert not re.search(r"\b(nan|inf|none)\b", page, re.IGNORECASE)


def test_another_question_forgets_the_answer_of_the_one_before() -> None:
    survey = make_open(yes_no(leave_out="no"), one_of())
    fill(survey, {"02": 20, "10": 20})
    context = context_of(PAGE, survey, "?item=1&of=2&option=2")
    assert context["notices"] == []
    assert (context["query"].option, context["assumed"].source) == (1, "found")


def test_a_question_that_too_few_answered_shows_how_many_and_no_plan() -> None:
    survey = make_open(yes_no("Answered?"), yes_no("Left out?"))
    fill(survey, {"11": 2, "0-": 18})
    page, context = page_and_context(PAGE, survey, "?item=2&n=500&share=30")
    assert (context["enough"], context["n"]) == (False, 2)
    assert "precision" not in context
    assert "<table" not in page


def test_below_the_minimum_there_is_no_plan_at_all() -> None:
    survey = make_open(yes_no("Ever cheated?"))
    fill(survey, {"1": 9})
    page, context = page_and_context(PAGE, survey, "?share=30")
    assert "precision" not in context
    assert "Ever cheated" not in page


def test_each_chart_can_be_had_as_a_file() -> None:
    survey = _class_of_30()
    client, address = owner_of(survey), reverse(PAGE, args=[survey.code])
    for name in ("precision", "power"):
        response = client.get(address, {"chart": name})
        assert response["Content-Type"].startswith("image/svg+xml")
    assert client.get(address, {"chart": "other"}).status_code == 404


def test_against_nobody_the_plan_asks_for_as_many_as_bring_one_yes() -> None:
    # Only true Yes can be reported: one is enough to show that there are any, but it has to come.
    never_forced = {"parameters": {"truth": [3, 4], "yes": [0, 1]}, "accepts_infinite": True}
    survey = make_open(yes_no(leave_out="no", **never_forced))
    fill(survey, {"1": 1, "0": 99})
    page = _page(survey, share="1", null="0")
    normal, exact, groups = rows_under(page, "Power and people needed")
    assert normal[2] == exact[2] == "214"
    assert groups[2] == "1,053"
    assert _says(page, "power").endswith(" a sample of 214.")
    assert normal[1] == exact[1] == "52.9%"
    item = definition_of(survey).items[0]
    _same_tests(page, item, 1, share=0.01, null=0, n=100, significance=0.05)


def test_where_nothing_is_told_because_an_arm_is_too_small_no_tab_fails() -> None:
    asked = [yes_no(arms=[arm], quantity=1, leave_out="no") for arm in (1, 2)]
    survey = make_open(*asked, arms=[{"name": name, "weight": 1} for name in ("One", "Other")])
    fill(survey, {"0-0": 60, "1-0": 40, "-01": 3})
    survey = close_survey(survey=survey)
    for name in ("plan", "groups", "relate", "regression", "bayes"):
        assert context_of(f"survey-results-{name}", survey)["refusal"] == "nothing_shown"
