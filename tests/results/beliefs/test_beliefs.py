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
from surveys.drafts.services.surveys import QuestionDraft
from surveys.estimation import estimate_prevalence, posterior_prevalence
from surveys.models import Survey
from surveys.models.asked_question import Item
from surveys.models.definition import Definition
from surveys.models.response import CODES
from surveys.numbers.words import at_most_of_100, roughly_of_100
from surveys.privacy.accounting import best_advantage, error_region, posterior_bound
from surveys.privacy.designs import Design, from_matrix
from surveys.results.figures import privacy as beliefs_figures
from surveys.results.figures.privacy import belief_of, guesser, options_of
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

pytestmark = pytest.mark.django_db
EVERY = [pytest.param(draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for draft in every_protected_kind()]


def _page(survey: Survey, query: str = "") -> str:
    return unescape(page_of("survey-results-bayes", survey, query))


def _says(page: str, name: str) -> str:
    found = re.search(rf'data-says="{name}">(.*?)</p>', page, re.DOTALL)
    return found[1] if found else ""


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
def test_every_number_of_a_posterior_is_that_of_the_core(seed: int, prior: tuple[float, float]) -> None:
    survey = make_open(*every_protected_kind())
    counts = _random(survey, 70 * seed, seed)
    for item in definition_of(survey).items:
        option = options_of(item)[-1]
        own, n = _counts(item, counts)[option], 70 * seed
        posterior = posterior_prevalence([n - own, own], _against_rest(item, option), prior)
        interval = posterior.interval(0.9)
        low, high = (float(item.range.low), float(item.range.high)) if item.range and option == 1 else (0.0, 100.0)
        beyond = low + (high - low) * 0.3
        query = f"?item={item.key}&option={option}&a={prior[0]}&b={prior[1]}&x={beyond}&level=.90"
        page = _page(survey, query)
        before = scipy.stats.beta(*prior)
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
                assert _number(cell) == pytest.approx(low + (high - low) * share, abs=0.51 * 10**-digits)
        assert [_number(cell) for cell in last[1:]] == pytest.approx(
            [100 * before.sf(0.3), 100 * (1 - posterior.cdf(0.3))], abs=0.051
        )
        figures = [
            float(figure) for figure in re.findall(r"\d+(?:\.\d+)?", re.sub(r"“.*?”", "", _says(page, "belief")))
        ]
        assert figures[:3] == [prior[0], prior[1], 90.0]
        width = high - low
        assert figures[3] == pytest.approx(low + width * interval.low, abs=width / 90)
        assert figures[4] == pytest.approx(low + width * interval.high, abs=width / 90)
        for share, *densities in _chart_rows(page, "posterior"):
            # The share itself is written with four digits or so: the densities are those of a share near it.
            near = np.clip((share - low) / width + np.linspace(-1, 1, 41) * 5e-5, 1e-9, 1 - 1e-9)
            for shown, curve in zip(densities, (before.pdf(near), posterior.density(near)), strict=True):
                if 0 < share - low < width:
                    assert curve.min() - 0.0051 <= shown <= curve.max() + 0.0051


@pytest.mark.parametrize("seed", [4, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.uncounted
def test_what_a_report_says_is_bayes_with_the_design_and_the_estimate(seed: int) -> None:
    survey = make_open(*every_protected_kind())
    counts = _random(survey, 120, seed)
    for item in definition_of(survey).items:
        for option in options_of(item):
            estimated = estimate_prevalence(_counts(item, counts), item.design).constrained
            page = _page(survey, f"?item={item.key}&option={option}")
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
                assert figures[-2:] == pytest.approx([100 * after, 100], abs=0.51)


@pytest.mark.parametrize("draft", EVERY)
def test_no_report_leaves_the_band_of_its_epsilon(draft: QuestionDraft) -> None:
    survey = make_open(draft)
    item = definition_of(survey).items[0]
    for option in options_of(item):
        said = beliefs_figures.one_report(item, option, [0.4, 0.0, 0.6][: item.design.k] + [0.0] * (item.design.k - 3))
        if item.design.epsilon == math.inf:
            continue
        band = said.band()
        for curve in said.curves():
            for (share, after), (prior, least, most) in zip(curve, band, strict=True):
                assert share == prior
                assert least - 1e-12 <= after <= most + 1e-12
                assert most == pytest.approx(posterior_bound(share, item.design.epsilon))


def test_the_sentence_that_a_class_reads() -> None:
    survey = make_open(yes_no(leave_out="no"))
    # λ̂ = .4, so π̂ = .3: 3/4·.3 of .4 are true.
    fill(survey, {"0": 240, "1": 160})
    page = _page(survey)
    assert (
        "If the true answer of 30 of 100 people is “Yes”, then among those who reported “Yes” it is that of 56 of 100."
        in page
    )
    assert re.search(r"among those who reported “No” it is that of 1[23] of 100\.", page)  # 12.5
    assert "changes the odds between two answers at most 3-fold (e to the ε, ε = 1.10)" in page
    assert _says(page, "guess").endswith("is right at most 75 of 100 times, if half the people have either answer.")
    assert _rows(page, "guess") == [
        ["This report, by its matrix", "75", "50%"],
        ["Any report with ε = 1.10", "75", "50%"],
    ]


def test_a_planted_fault_in_the_matrix_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = beliefs_figures.OneReport.posterior

    def mirrored(said: beliefs_figures.OneReport, share: Fraction) -> tuple[Fraction | None, ...]:
        return original(said, share)[::-1]

    monkeypatch.setattr(beliefs_figures.OneReport, "posterior", mirrored)
    with pytest.raises(AssertionError):
        test_what_a_report_says_is_bayes_with_the_design_and_the_estimate(4)


@pytest.mark.parametrize("draft", EVERY)
def test_no_guess_is_right_more_often_than_the_page_says(draft: QuestionDraft) -> None:
    survey = make_open(draft, yes_no("And something else?"))
    definition: Definition = definition_of(survey)
    _random(survey, 40, seed=6)
    item = definition.items[0]
    for option in options_of(item):
        page = _page(survey, f"?item={item.key}&option={option}")
        regions = [error_region(item.design, option, other) for other in range(item.design.k) if other != option]
        own = (1 + max(region.best_advantage for region in regions)) / 2
        bounds = [(1 + best_advantage(epsilon)) / 2 for epsilon in (item.design.epsilon, definition.epsilon)]
        shown = [_number(row[1]) for row in _rows(page, "guess")]
        for written, exact in zip(shown, [float(own), *bounds], strict=True):
            assert 100 * exact - 1e-6 <= written <= 100 * exact + 0.1
        advantages = [_number(row[2]) for row in _rows(page, "guess")]
        assert advantages == pytest.approx([2 * right - 100 for right in shown], abs=0.21)
        figure = re.sub(r"“.*?”", "", _says(page, "guess"))
        assert f"at most {at_most_of_100(own)} of 100" in figure
        table = _chart_rows(page, "guess")
        best = next(region for region in regions if (1 + region.best_advantage) / 2 == own)
        assert [row[:2] for row in table] == [
            pytest.approx([100 * float(x), 100 * float(y)], abs=0.06) for x, y in best.vertices
        ] or item.design.k > 2
        assert max(row[2] for row in table) == pytest.approx(100 * float(own), abs=0.1)


def test_of_several_answers_the_one_that_is_told_apart_best_is_the_other() -> None:
    design = from_matrix([["1/2", "1/4", "1/4"], ["1/4", "1/2", "0"], ["1/4", "1/4", "3/4"]])
    item = Item(0, 1, 1, "one_of", "?", ("a", "b", "c"), "no", design, key="1")
    assert guesser(item, 0, 1.0).other == 2
    assert belief_of(item, np.array([5, 5, 5]), 1, prior=(1, 1), confidence_level=0.9, beyond=0.5) is None


def test_a_report_that_proves_an_answer_is_said_to_and_has_no_band() -> None:
    survey = make_open(triangular(leave_out="no"))
    fill(survey, {"0": 40, "1": 60})
    page = _page(survey)
    assert "The report “No to both” proves that the true answer is not “Yes”." in page
    assert "ε is infinite here" in page
    assert "what ε" not in page
    assert not re.search(r"\b(nan|inf|None)\b", re.sub(r"<[^>]*>", " ", page))


def test_crosswise_reports_keep_their_names() -> None:
    survey = make_open(crosswise(leave_out="no"))
    fill(survey, {"0": 100, "1": 100})
    page = _page(survey)
    assert "among those who reported “The same answer” it is that of 25 of 100." in page
    assert "among those who reported “Different answers” it is that of 75 of 100." in page


def test_a_mean_is_believed_in_its_own_units() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 60, "1": 40})
    page = _page(survey, "?x=2,5")
    assert re.search(r"the mean is between \d\.\d hours and \d\.\d hours", _says(page, "belief"))
    assert "that it is more than 2.5 hours" in _says(page, "belief")
    assert (
        "If the number of 50 of 100 people is 12 hours and that of the others 0 hours, then among those who reported "
        "“12 hours” it is 12 hours for 75 of 100." in page
    )


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        ("item=9", "This survey has no question “9”. Question 1 is shown."),
        ("option=7", "Question 1 has no answer “7” with a share of its own. “Yes” is shown."),
        ("option=-1", "Question 1 has no answer “-1” with a share of its own."),
        ("a=0", "a of the prior must be a number from 0.1 to 1,000, not “0”. 1 is taken."),
        ("b=nan", "b of the prior must be a number from 0.1 to 1,000, not “nan”. 1 is taken."),
        ("b=1e9", "b of the prior must be a number from 0.1 to 1,000, not “1e9”. 1 is taken."),
        ("a=inf", "a of the prior must be a number from 0.1 to 1,000, not “inf”. 1 is taken."),
        ("a=%3Cb%3E", "a of the prior must be a number from 0.1 to 1,000, not “<b>”. 1 is taken."),
        ("a=" + "9" * 500, "a of the prior must be a number from 0.1 to 1,000"),
        ("a=%D9%A3", "a of the prior must be a number from 0.1 to 1,000, not “٣”. 1 is taken."),
        ("a=1_0", "a of the prior must be a number from 0.1 to 1,000, not “1_0”. 1 is taken."),
        ("x=1_0", "x must be a number from 0 to 100, not “1_0”. 50 is taken."),
        ("x=101", "x must be a number from 0 to 100, not “101”. 50 is taken."),
        ("x=-1", "x must be a number from 0 to 100, not “-1”. 50 is taken."),
        ("x=many", "x must be a number from 0 to 100, not “many”. 50 is taken."),
    ],
)
def test_what_does_not_exist_is_named_in_a_notice(query: str, notice: str) -> None:
    survey = make_open(yes_no())
    fill(survey, {"0": 20, "1": 10})
    assert notice in _page(survey, f"?{query}")


def test_white_space_around_a_number_is_not_repeated() -> None:
    survey = make_open(yes_no())
    fill(survey, {"0": 20, "1": 10})
    page = _page(survey, "?a=%205&b=5%0A&x=+40+")
    assert page.count('value="5"') >= 2
    assert 'value="40"' in page
    assert "must be a number" not in page


def test_an_answer_written_for_another_question_is_not_meant() -> None:
    survey = make_open(scale(), yes_no())
    fill(survey, {"00": 20, "41": 10})
    page = _page(survey, "?of=1&item=2&option=4&x=500")
    assert "has no answer" not in page
    assert "x must be" not in page


@pytest.mark.parametrize(
    "draft", [yes_no(leave_out="no"), one_of(), scale(**PROTECTED), several_of(leave_out="no"), warner()]
)
def test_reports_that_do_not_fit_have_no_posterior_and_no_estimate_behind_a_sentence(draft: QuestionDraft) -> None:
    survey = make_open(draft)
    items = definition_of(survey).items
    fill(survey, {"0" * len(items): 200})
    page = _page(survey)
    assert "Respondents probably did not follow the procedure." in page
    assert 'data-says="belief"' not in page
    assert 'id="chart-posterior"' not in page
    assert "There is no estimate to trust for this question" in page
    assert "of 50 of 100 people" in page


def test_below_the_minimum_nothing_but_the_count_and_the_design_is_told() -> None:
    survey = make_open(yes_no(), yes_no("Another?"))
    fill(survey, {"-0": 20, "10": 9})
    page = _page(survey)
    assert "9 answered this question: below 10 nothing but the count is shown." in page
    assert 'data-says="belief"' not in page
    assert "of 50 of 100 people" in page
    assert "Too few people answered yet" in _page(make_open(yes_no()))


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
def test_no_extreme_breaks_the_page(draft: QuestionDraft, prior: tuple[str, str]) -> None:
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
