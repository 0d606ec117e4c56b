"""Posteriors, single reports and guesses: every number is the core's for the same counts."""

import math
import re
from fractions import Fraction
from html import unescape

import numpy as np
import pytest
import scipy.stats
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.estimation.bayes import posterior_prevalence
from surveys.estimation.prevalence import estimate_prevalence
from surveys.models import Survey
from surveys.numbers.words import at_most_of_100, roughly_of_100
from surveys.privacy.accounting.error_region import error_region
from surveys.privacy.accounting.hypothesis_testing import best_advantage, posterior_bound
from surveys.privacy.designs import Design, from_matrix
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import ONE_OF_LIST
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from surveys.results.figures import privacy as beliefs_figures
from surveys.results.figures.privacy import OneReport, belief_of, guesser, options_of
from surveys.results.pages.privacy import guess_words, proofs, report_words
from tests.factories import (
    PROTECTED,
    crosswise,
    every_protected_kind,
    fill,
    make_open,
    number_mean,
    one_of,
    scale,
    several_of,
    triangular,
    warner,
    yes_no,
)
from tests.pages import owner_of, page_of
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db
EVERY = [pytest.param(draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for draft in every_protected_kind()]


def _page(survey: Survey, query: str = "") -> str:
    return unescape(page_of("survey-results-bayes", survey, query))


def _says(page: str, name: str) -> str:
    paragraph = re.search(rf'data-says="{name}">(.*?)</p>', page, re.DOTALL)
    return paragraph[1] if paragraph else ""


def _rows(page: str, name: str) -> list[list[str]]:
    table = re.search(rf'<table data-table="{name}">.*?</table>', page, re.DOTALL)
    assert table
    rows = re.findall(r"<tr>(.*?)</tr>", table[0], re.DOTALL)[1:]
    return [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in rows
    ]


def _chart_rows(page: str, name: str) -> list[list[float]]:
    figure = page.split(f'id="chart-{name}"', 1)[1].split("</figure>", 1)[0]
    rows = re.findall(r"<tr>(.*?)</tr>", figure.split("<tbody>", 1)[1], re.DOTALL)
    return [
        [_number(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in rows
    ]


def _number(text: str) -> float:
    text = text.strip()
    if text in {"∞", "–"}:
        return math.inf if text == "∞" else math.nan
    return float(text.replace("−", "-").removesuffix("%").split(" ")[0])


def _random(survey: Survey, n: int, seed: int) -> dict[str, list[int]]:
    """Store reports that the designs lead to from random truths; return the counts of each item by its key."""
    random = np.random.default_rng(seed)
    columns = {}
    for item in definition_of(survey).items:
        reported = np.array(item.design.matrix, dtype=float) @ random.dirichlet(np.ones(item.design.k))
        columns[item.key] = random.choice(item.design.m, n, p=reported / reported.sum())
    texts = ["".join(CODES[column[person]] for column in columns.values()) for person in range(n)]
    fill(survey, {text: texts.count(text) for text in dict.fromkeys(texts)})
    return {
        key: [int((column == code).sum()) for code in range(int(column.max()) + 1)] for key, column in columns.items()
    }


def _counts(item: Item, counts: dict[str, list[int]]) -> list[int]:
    return (counts[item.key] + [0] * item.design.m)[: item.design.m]


def _against_rest(item: Item, option: int) -> Design:
    row = item.design.matrix[option]
    other = row[option - 1]
    return from_matrix([[1 - other, 1 - row[option]], [other, row[option]]])


def _expected_posterior(item: Item, option: int, share: float, estimated: np.ndarray) -> list[float]:
    """Bayes by hand: the others in the proportions estimated."""
    rest = np.delete(estimated, option)
    rest = rest / rest.sum() if rest.sum() else np.full(rest.size, 1 / rest.size)
    prior = np.insert((1 - share) * rest, option, share)
    matrix = np.array(item.design.matrix, dtype=float)
    total = matrix @ prior
    return [matrix[j, option] * share / total[j] if total[j] else math.nan for j in range(item.design.m)]


@pytest.mark.parametrize(
    ("seed", "prior"),
    [(1, (2.5, 40)), *(pytest.param(*given, marks=pytest.mark.slow) for given in ((2, (1, 1)), (3, (0.5, 0.5))))],
)
@pytest.mark.uncounted
def test_every_number_of_a_page_is_that_of_the_core(seed: int, prior: tuple[float, float]) -> None:
    survey = make_open(*every_protected_kind())
    counts = _random(survey, 100 * seed, seed)
    for item in definition_of(survey).items:
        reports = _counts(item, counts)
        for option in options_of(item):
            low, high = _range(item, option)
            beyond = low + (high - low) * 0.3
            query = f"?item={item.key}&option={option}&a={prior[0]}&b={prior[1]}&x={beyond}&level=.90"
            page = _page(survey, query)
            _check_report(page, item, option, reports)
            if option == options_of(item)[-1]:
                _check_posterior(page, item, option, reports, prior)


def _range(item: Item, option: int) -> tuple[float, float]:
    return (float(item.range.low), float(item.range.high)) if item.range and option == 1 else (0.0, 100.0)


def _check_posterior(page: str, item: Item, option: int, counts: list[int], prior: tuple[float, float]) -> None:
    reported, n = counts[option], sum(counts)
    posterior = posterior_prevalence([n - reported, reported], _against_rest(item, option), prior)
    interval, before = posterior.interval(0.9), scipy.stats.beta(*prior)
    low, high = _range(item, option)
    width = high - low
    shares = [
        (before.mean(), posterior.mean),
        (before.median(), posterior.median),
        (before.ppf(0.05), interval.low),
        (before.ppf(0.95), interval.high),
    ]
    *rows, last = _rows(page, "belief")
    for (_name, *shown), expected in zip(rows, shares, strict=True):
        for cell, share in zip(shown, expected, strict=True):
            digits = len(cell.split(" ")[0].partition(".")[2])
            assert _number(cell) == pytest.approx(low + width * share, abs=0.51 * 10**-digits)
    assert [_number(cell) for cell in last[1:]] == pytest.approx(
        [100 * before.sf(0.3), 100 * (1 - posterior.cdf(0.3))], abs=0.051
    )
    figures = [float(figure) for figure in re.findall(r"\d+(?:\.\d+)?", re.sub(r"“.*?”", "", _says(page, "belief")))]
    assert figures[:2] == [prior[0], prior[1]]
    assert figures[2] == pytest.approx(low + width * interval.low, abs=width / 90)
    assert figures[3] == pytest.approx(low + width * interval.high, abs=width / 90)
    of_all = [] if item.range and option == 1 else [100.0]
    assert figures[4 : 5 + len(of_all)] == [*of_all, 90.0]
    for share, *densities in _chart_rows(page, "posterior"):
        # The share itself is written with four digits or so: the densities are those of a share near it.
        near = np.clip((share - low) / width + np.linspace(-1, 1, 41) * 5e-5, 1e-9, 1 - 1e-9)
        for shown, curve in zip(densities, (before.pdf(near), posterior.density(near)), strict=True):
            if 0 < share - low < width:
                assert curve.min() - 0.0051 <= shown <= curve.max() + 0.0051


def _check_report(page: str, item: Item, option: int, counts: list[int]) -> None:
    """Hold what a report says against Bayes with the design and the estimate."""
    estimated = estimate_prevalence(counts, item.design).constrained
    for row in _chart_rows(page, "report"):
        expected = _expected_posterior(item, option, row[0] / 100, estimated)
        assert row[1:] == pytest.approx([100 * value for value in expected], abs=0.061, nan_ok=True)
    share = 0.5 if item.range and option == 1 else min(1.0, float(estimated[option]))
    for report in [0, 1] if item.design.m == 2 else [option]:
        sentence = re.sub(r"“.*?”|12 hours|0 hours", "", _says(page, f"report-{report}"))
        figures = [float(figure) for figure in re.findall(r"\d+(?:\.\d+)?", sentence)]
        after = _expected_posterior(item, option, share, estimated)[report]
        if math.isnan(after):
            assert "nobody reports" in sentence
            continue
        assert [figures[0], figures[1]] == pytest.approx([100 * share, 100], abs=0.51)
        of_all = [100, 100 * after] if item.range and option == 1 else [100 * after, 100]
        assert figures[-2:] == pytest.approx(of_all, abs=0.51)


@pytest.mark.parametrize("draft", EVERY)
def test_no_report_leaves_the_band_of_its_epsilon(draft: Question) -> None:
    survey = make_open(draft)
    item = definition_of(survey).items[0]
    for option in options_of(item):
        one = beliefs_figures.one_report(item, option, [0.4, 0.0, 0.6][: item.design.k] + [0.0] * (item.design.k - 3))
        if item.design.epsilon == math.inf:
            continue
        band = one.band()
        for curve in one.curves():
            for (share, after), (prior, least, most) in zip(curve, band, strict=True):
                assert share == prior
                assert least - 1e-12 <= after <= most + 1e-12
                assert most == pytest.approx(posterior_bound(share, item.design.epsilon))


def _reported(survey: Survey, query: str = "") -> tuple[str, OneReport, Fraction]:
    """Return a page, what a report says by it, and the share of all that it supposes; both reports have a sentence."""
    page, context = page_and_context("survey-results-bayes", survey, query)
    one, share = context["evidence"], context["share"]
    assert all(says(page, report_words(one, report, share)) for report in (0, 1))
    assert says(page, guess_words(context["guess"]))
    return page, one, share


def test_the_figures_that_a_class_reads() -> None:
    survey = make_open(yes_no(leave_out="no"))
    # λ̂ = .4, so π̂ = .3: 3/4·.3 of .4 are true.
    fill(survey, {"0": 240, "1": 160})
    page, one, share = _reported(survey)
    assert float(share) == pytest.approx(0.3)
    assert [float(after or 0) for after in one.posterior(share)] == pytest.approx([0.125, 0.5625])
    assert [row[1:] for row in _rows(page, "guess")] == [["75", "50%"]] * 2


def test_a_planted_fault_in_the_matrix_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = beliefs_figures.OneReport.posterior

    def mirrored(one: beliefs_figures.OneReport, share: Fraction) -> tuple[Fraction | None, ...]:
        return original(one, share)[::-1]

    monkeypatch.setattr(beliefs_figures.OneReport, "posterior", mirrored)
    with pytest.raises(AssertionError):
        test_every_number_of_a_page_is_that_of_the_core(1, (2.5, 40))


@pytest.mark.parametrize("draft", EVERY)
def test_no_guess_is_right_more_often_than_the_page_says(draft: Question) -> None:
    survey = make_open(draft, yes_no("And something else?"))
    definition: Definition = definition_of(survey)
    _random(survey, 40, seed=6)
    item = definition.items[0]
    for option in options_of(item):
        page = _page(survey, f"?item={item.key}&option={option}")
        regions = [error_region(item.design, option, other) for other in range(item.design.k) if other != option]
        best_of_report = (1 + max(region.best_advantage for region in regions)) / 2
        bounds = [(1 + best_advantage(epsilon)) / 2 for epsilon in (item.design.epsilon, definition.epsilon)]
        shown = [_number(row[1]) for row in _rows(page, "guess")]
        for written, exact in zip(shown, [float(best_of_report), *bounds], strict=True):
            assert 100 * exact - 1e-6 <= written <= 100 * exact + 0.1
        advantages = [_number(row[2]) for row in _rows(page, "guess")]
        assert advantages == pytest.approx([2 * right - 100 for right in shown], abs=0.21)
        figure = re.sub(r"“.*?”", "", _says(page, "guess"))
        assert f"at most {at_most_of_100(best_of_report)} of 100" in figure
        table = _chart_rows(page, "guess")
        best = next(region for region in regions if (1 + region.best_advantage) / 2 == best_of_report)
        assert [row[:2] for row in table] == [
            pytest.approx([100 * float(x), 100 * float(y)], abs=0.06) for x, y in best.vertices
        ] or item.design.k > 2
        assert max(row[2] for row in table) == pytest.approx(100 * float(best_of_report), abs=0.1)


def test_of_several_answers_the_one_that_is_told_apart_best_is_the_other() -> None:
    design = from_matrix([["1/2", "1/4", "1/4"], ["1/4", "1/2", "0"], ["1/4", "1/4", "3/4"]])
    item = Item(0, 1, ONE_OF_LIST, "?", ("a", "b", "c"), "no", design, key="1")
    assert guesser(item, 0, 1.0).other == 2
    assert belief_of(item, np.array([5, 5, 5]), 1, prior=(1, 1), confidence_level=0.9, beyond=0.5) is None


def test_a_report_that_proves_an_answer_is_said_to_and_has_no_band() -> None:
    survey = make_open(triangular(leave_out="no"))
    fill(survey, {"0": 40, "1": 60})
    page, one, _share = _reported(survey)
    [proof] = proofs(one)
    assert "“No to both”" in proof
    assert says(page, proof)
    assert one.design.epsilon == math.inf
    assert "limit at ε" not in page
    assert not re.search(r"\b(nan|inf|None)\b", re.sub(r"<[^>]*>", " ", page))


def test_crosswise_reports_keep_their_names() -> None:
    survey = make_open(crosswise(leave_out="no"))
    fill(survey, {"0": 100, "1": 100})
    _page, one, share = _reported(survey)
    assert [float(after or 0) for after in one.posterior(share)] == pytest.approx([0.75, 0.25])
    for report, name in enumerate(("“Different answers”", "“The same answer”")):
        assert name in report_words(one, report, share)


def test_a_mean_is_believed_in_its_own_units() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 60, "1": 40})
    page, one, share = _reported(survey, "?x=2,5")
    assert re.findall(r"[\d.]+ hours", _says(unescape(page), "belief"))[2] == "2.5 hours"
    assert (share, one.posterior(share)) == (Fraction(1, 2), (Fraction(1, 4), Fraction(3, 4)))


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("item=9", "“9”"),
        ("option=7", "“7”"),
        ("option=-1", "“-1”"),
        ("a=0", "“0”"),
        ("b=nan", "“nan”"),
        ("b=1e9", "“1e9”"),
        ("a=inf", "“inf”"),
        ("a=%3Cb%3E", "“<b>”"),
        ("a=" + "9" * 500, f"“{'9' * 40}”"),
        ("a=%D9%A3", "“٣”"),
        ("a=1_0", "“1_0”"),
        ("x=1_0", "“1_0”"),
        ("x=101", "“101”"),
        ("x=-1", "“-1”"),
        ("x=many", "“many”"),
    ],
)
def test_what_does_not_exist_is_named_in_a_notice_and_the_default_taken(query: str, named: str) -> None:
    survey = make_open(yes_no())
    fill(survey, {"0": 20, "1": 10})
    page, context = page_and_context("survey-results-bayes", survey, f"?{query}")
    [notice] = context["notices"]
    assert named in notice
    assert says(page, notice)
    chosen = context["chosen"]
    assert (chosen.item.key, chosen.option, chosen.prior, chosen.beyond) == ("1", 1, (1, 1), 0.5)


def test_white_space_around_a_number_is_not_repeated() -> None:
    survey = make_open(yes_no())
    fill(survey, {"0": 20, "1": 10})
    page, context = page_and_context("survey-results-bayes", survey, "?a=%205&b=5%0A&x=+40+")
    assert page.count('value="5"') >= 2
    assert 'value="40"' in page
    assert context["notices"] == []


def test_an_answer_written_for_another_question_is_not_meant() -> None:
    survey = make_open(scale(), yes_no())
    fill(survey, {"00": 20, "41": 10})
    assert context_of("survey-results-bayes", survey, "?of=1&item=2&option=4&x=500")["notices"] == []


@pytest.mark.parametrize(
    "draft", [yes_no(leave_out="no"), one_of(), scale(**PROTECTED), several_of(leave_out="no"), warner()]
)
def test_reports_that_do_not_fit_have_no_posterior_and_no_estimate_behind_a_sentence(draft: Question) -> None:
    survey = make_open(draft)
    items = definition_of(survey).items
    fill(survey, {"0" * len(items): 200})
    page, context = page_and_context("survey-results-bayes", survey)
    assert context["misfit"]
    assert 'class="notice error"' in page
    assert 'data-says="belief"' not in page
    assert 'id="chart-posterior"' not in page
    assert (context["estimated"], context["share"]) == (False, Fraction(1, 2))
    assert "true answer for 50 of 100 people" in page


def test_below_the_minimum_nothing_but_the_count_and_the_design_is_told() -> None:
    survey = make_open(yes_no(), yes_no("Another?"))
    fill(survey, {"-0": 20, "10": 9})
    page, context = page_and_context("survey-results-bayes", survey)
    assert (context["enough"], context["n"]) == (False, 9)
    assert 'data-says="belief"' not in page
    assert "true answer for 50 of 100 people" in page
    assert context_of("survey-results-bayes", make_open(yes_no()))["refusal"] == "too_few"


# Each kind with one of the extreme priors, in turn; with both in make test-all.
EXTREMES = [
    pytest.param(draft, prior, id=f"{draft.kind} {draft.design} {draft.leave_out} {prior}", marks=marks)
    for place, draft in enumerate(every_protected_kind())
    for prior, marks in zip(
        (("0.1", "0.1"), ("1000", "0.1")), ((), pytest.mark.slow) if place % 2 else (pytest.mark.slow, ()), strict=True
    )
]


@pytest.mark.slow
@pytest.mark.parametrize(("draft", "prior"), EXTREMES)
def test_no_extreme_breaks_the_page(draft: Question, prior: tuple[str, str]) -> None:
    probe = definition_of(make_open(draft)).items[0]
    for code in (0, probe.design.m - 1):
        survey = make_open(draft)
        items = definition_of(survey).items
        fill(survey, {CODES[code] * len(items): 10})
        page = _page(survey, f"?a={prior[0]}&b={prior[1]}&option={options_of(items[0])[0]}&level=.999")
        assert not re.search(r"\b(nan|inf|None)\b", re.sub(r"<[^>]*>", " ", page))


def test_ten_million_reports_have_a_curve_where_the_posterior_is() -> None:
    item = definition_of(make_open(yes_no())).items[0]
    belief = belief_of(item, np.array([6_000_000, 4_000_000]), 1, prior=(1, 1), confidence_level=0.95, beyond=0.3)
    assert belief
    low, high = belief.window
    assert 0.298 < low < 0.3 < high < 0.302
    assert max(after for _share, _before, after in belief.curve()) > 1000


def test_charts_can_be_downloaded() -> None:
    survey = make_open(yes_no())
    fill(survey, {"0": 20, "1": 10})
    for name in ("posterior", "report", "guess"):
        response = owner_of(survey).get(
            reverse("survey-results-bayes", args=[survey.code]), {"chart": name, "a": "0.5", "b": "0.5"}
        )
        assert response["Content-Type"].startswith("image/svg+xml")


def test_so_many_of_100_are_rounded_so_that_no_bound_is_exceeded() -> None:
    most = (Fraction(3, 4), Fraction(2, 3), 0.75000000001, 1.0)
    assert [at_most_of_100(share) for share in most] == ["75", "66.7", "75", "100"]
    assert [roughly_of_100(share) for share in (None, 0.0, 0.5625, 0.0243, 0.9993, 1.0)] == [
        "–",
        "0",
        "56",
        "2.4",
        "99.9",
        "100",
    ]
