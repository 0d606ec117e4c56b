"""The page of weights: every number is the core's, the truth is found, and nobody is singled out."""

import re
from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, seal_survey
from surveys.estimation.claims import FigureOptions
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.scales import estimate_scale
from surveys.estimation.weighting.design_based import estimate_weighted
from surveys.estimation.weighting.raking import Margin, rake
from surveys.estimation.weighting.trimming import trim_weights
from surveys.models import Survey
from surveys.privacy.designs import direct, forced_response, k_ary
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.told import recode, separable_groups
from surveys.results.figures.weights import GroupCategories, KnownShares, WeightingPlan, weighted_results
from surveys.results.pages.weights import farthest_moved, too_few_words, weights_title, weights_words
from surveys.results.sections.weights import compared_answers
from tests.factories import fill, make_open, number_bands, number_mean, one_of, plain, scale, several_of, yes_no
from tests.pages import outwards, owner_of, page_of, rows_under, same, words_of
from tests.results.drawn import drawn_rows
from tests.results.grouping import answer, group_of
from tests.results.seen import context_of, page_and_context

pytestmark = pytest.mark.django_db
PAGE = "survey-results-weights"
COINS = forced_response()
SUBJECT = {"options": ("Arts", "Science"), "text": "What do you study?"}
# Reports, then year and subject; "-" skipped the protected question.
COUNTS = {
    "000": 30, "001": 20, "010": 25, "011": 24, "020": 12, "021": 11,
    "100": 14, "101": 26, "110": 13, "111": 22, "120": 18, "121": 15, "-00": 12, "-11": 11,
}  # fmt: skip
KNOWN = "?q2-0=30&q2-1=40&q2-2=30&q3-0=55&q3-1=45"


def _closed(counts: dict[str, int] | None = None, *questions: object, **fields: object) -> Survey:
    survey = make_open(*(questions or (yes_no(), plain(), plain(**SUBJECT))), **fields)  # type: ignore[arg-type]
    fill(survey, counts or COUNTS)
    return close_survey(survey=survey)


def _columns(counts: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    rows = [[255 if code == "-" else int(code) for code in reports] for reports in counts]
    return np.array(rows), np.array(list(counts.values()))


def _margins(rows: np.ndarray, n: int) -> list[Margin]:
    return [
        Margin("year", rows[:, 1], n * np.array([0.3, 0.4, 0.3])),
        Margin("subject", rows[:, 2], n * np.array([0.55, 0.45])),
    ]


def _problems(survey: Survey, query: str) -> list[str]:
    """Return why there are no weights, in each set of arms, and hold that the page says so."""
    page, context = page_and_context(PAGE, survey, query)
    results = context["results"]
    for weights in results.weights:
        assert weights_words(weights, results.plan, context["definition"].arms, survey.minimum_n) in words_of(page)
    return [weights.problem for weights in results.weights]


def _shares(page: str) -> list[list[str]]:
    return rows_under(page, "Shares of true answers")


class TestEveryNumberIsTheCores:
    def test_raked_estimates_stand_beside_the_unweighted_ones(self) -> None:
        rows, counts = _columns(COUNTS)
        n = int(counts.sum())
        margins = _margins(rows, n)
        raked = rake(counts, margins)
        estimate = estimate_weighted(rows[:, 0], counts, COINS, raked.weights, margins=margins)
        interval = estimate.interval(0.9)
        plainly = estimate_prevalence([int(counts[rows[:, 0] == code].sum()) for code in (0, 1)], COINS)
        limits = plainly.interval(0.9, "wilson")
        page, context = page_and_context(PAGE, _closed(), f"{KNOWN}&level=.90")
        [cells] = _shares(page)
        assert cells[0].endswith(" – Yes")
        assert same(cells[1], plainly.n, places=0)
        assert same(cells[2], estimate.effective_n)
        assert same(cells[3], 100 * plainly.constrained[1])
        assert outwards(cells[4], cells[5], (100 * limits.low[1], 100 * limits.high[1]))
        assert same(cells[6], 100 * estimate.point[1])
        assert same(cells[7], 100 * estimate.point[1])
        assert outwards(cells[8], cells[9], (100 * interval.low[1], 100 * interval.high[1]))
        assert same(cells[10], 100 * estimate.standard_error[1])
        assert same(cells[11], estimate.design_effects[1], places=2)
        results, words = context["results"], words_of(page)
        [weights] = results.weights
        assert (weights.n, weights.trimmed) == (n, 0)
        assert weights.effective_n == pytest.approx(raked.effective_n)
        assert weights.largest == pytest.approx(raked.weights.max())
        assert weights_words(weights, results.plan, (), 10) in words
        assert weights_title(results) in words
        assert estimate.point[1] != plainly.constrained[1]
        # The twin: one margin alone, or none, has another share than the page.
        alone = estimate_weighted(rows[:, 0], counts, COINS, rake(counts, margins[:1]).weights)
        assert not same(cells[6], 100 * alone.point[1])
        assert not same(cells[6], 100 * plainly.point[1])

    def test_weights_that_are_cut_say_so_and_count_as_given(self) -> None:
        rows, counts = _columns(COUNTS)
        raked = rake(counts, [Margin("year", rows[:, 1], counts.sum() * np.array([0.1, 0.1, 0.8]))])
        cut = trim_weights(np.array(raked.weights), counts, largest=2)
        estimate = estimate_weighted(rows[:, 0], counts, COINS, cut.weights)
        survey = _closed()
        page, context = page_and_context(PAGE, survey, "?q2-0=10&q2-1=10&q2-2=80&largest=2")
        [cells] = _shares(page)
        assert same(cells[6], 100 * estimate.point[1])
        assert same(cells[10], 100 * estimate.standard_error[1])
        [weights] = context["results"].weights
        assert weights.trimmed == cut.trimmed > 0
        assert weights.effective_n == pytest.approx(cut.effective_n)
        assert weights.largest == pytest.approx(2)
        assert weights_words(weights, context["results"].plan, (), 10) in words_of(page)
        [uncut] = context_of(PAGE, survey, "?q2-0=10&q2-1=10&q2-2=80&largest=5")["results"].weights
        assert uncut.trimmed == 0

    def test_a_few_people_who_carry_most_of_the_weight_are_named_and_are_not_taken_to_be_all_alike(self) -> None:
        counts = {"00": 130, "10": 55, "01": 15}
        rows, numbers = _columns(counts)
        margin = Margin("subject", rows[:, 1], 200 * np.array([0.2, 0.8]))
        design = forced_response("9/10", "1/2")
        estimate = estimate_weighted(rows[:, 0], numbers, design, rake(numbers, [margin]).weights, margins=[margin])
        asked = yes_no(leave_out="no", parameters={"truth": [9, 10], "yes": [1, 2]})
        page, context = page_and_context(PAGE, _closed(counts, asked, plain(**SUBJECT)), "?q2-0=20&q2-1=80")
        [weights] = context["results"].weights
        assert weights.heaviest == (15, pytest.approx(0.8))
        assert weights_words(weights, context["results"].plan, (), 10) in words_of(page)
        [cells] = _shares(page)
        interval = estimate.interval()
        assert interval.method == "agresti_coull"
        assert outwards(cells[8], cells[9], (0, 100 * interval.high[1]))
        assert same(cells[10], 100 * estimate.standard_error[1])
        # None of the fifteen reports Yes: by linearization alone this is .1, and the share is known to be 0.
        assert same(cells[11], 200 / estimate.effective_n, places=2)

    @pytest.mark.parametrize("role", ["clusters", "strata"])
    def test_groups_are_clusters_or_strata(self, role: str) -> None:
        survey = make_open(yes_no(leave_out="no"), plain(**SUBJECT))
        parts = [{"00": 12, "10": 14, "01": 13, "11": 25}, {"00": 31, "10": 12, "01": 19, "11": 11}]
        parts.append({"00": 11, "10": 22, "01": 14, "11": 16})
        for name, counts in zip(("Mon", "Tue", "Wed"), parts, strict=True):
            answer(survey, counts, group_of(survey, name))
        close_survey(survey=survey)
        rows = np.array([[int(code) for code in reports] for part in parts for reports in part])
        counts, groups = np.array([n for part in parts for n in part.values()]), np.repeat([0, 1, 2], 4)
        margin = Margin("subject", rows[:, 1], counts.sum() * np.array([0.6, 0.4]))
        weights = rake(counts, [margin]).weights
        estimate = estimate_weighted(rows[:, 0], counts, COINS, weights, margins=[margin], **{role: groups})
        page, context = page_and_context(PAGE, survey, f"?q2-0=60&q2-1=40&role={role}")
        [cells] = _shares(page)
        interval = estimate.interval()
        assert same(cells[6], 100 * estimate.point[1])
        assert same(cells[10], 100 * estimate.standard_error[1])
        assert outwards(cells[8], cells[9], (100 * interval.low[1], 100 * interval.high[1]))
        apart = estimate_weighted(rows[:, 0], counts, COINS, weights, margins=[margin])
        assert not same(cells[10], 100 * apart.standard_error[1], places=2)
        [used] = context["results"].weights
        assert (context["results"].plan.role, used.clusters) == (role, 3)
        assert weights_words(used, context["results"].plan, (), 10) in words_of(page)
        alone = page_of(PAGE, survey, f"?role={role}")
        assert same(_shares(alone)[0][6], 100 * estimate_prevalence([100, 100], COINS).point[1])

    def test_a_number_has_its_mean_and_several_options_a_share_each(self) -> None:
        counts = {"0000": 40, "1000": 14, "0110": 13, "1010": 12, "0001": 11, "1101": 31, "1001": 22, "0111": 17}
        survey = _closed(counts, number_mean(leave_out="no"), several_of(("A", "B"), leave_out="no"), plain(**SUBJECT))
        rows, numbers = _columns(counts)
        margin = Margin("subject", rows[:, 3], numbers.sum() * np.array([0.25, 0.75]))
        weights = rake(numbers, [margin]).weights
        estimates = [estimate_weighted(rows[:, place], numbers, COINS, weights, margins=[margin]) for place in range(3)]
        page = page_of(PAGE, survey, "?q3-0=25&q3-1=75")
        shares = _shares(page)
        assert [cells[0].rpartition(" – ")[2] for cells in shares] == ["A", "B"]
        assert all(same(cells[6], 100 * each.point[1]) for cells, each in zip(shares, estimates[1:], strict=True))
        [mean] = rows_under(page, "1. How many hours did you work unpaid? – Mean")
        assert same(mean[6], 12 * estimates[0].point[1], places=2)
        assert same(mean[10], 12 * estimates[0].standard_error[1], places=2)
        interval = estimates[0].interval()
        assert outwards(mean[8], mean[9], (12 * interval.low[1], 12 * interval.high[1]), places=2)

    def test_scales_and_bands_have_their_means(self) -> None:
        reports = {"01": 31, "12": 40, "22": 21, "30": 19, "41": 14, "10": 16, "00": 17, "42": 12, "21": 11}
        counts = {f"{both}{code}": n + 7 * code for code in (0, 1) for both, n in reports.items()}
        survey = _closed(counts, scale(leave_out="no"), number_bands(leave_out="no"), plain(**SUBJECT))
        rows, numbers = _columns(counts)
        margin = Margin("subject", rows[:, 2], numbers.sum() * np.array([0.25, 0.75]))
        weights = rake(numbers, [margin]).weights
        page = page_of(PAGE, survey, "?q3-0=25&q3-1=75&level=.90")
        designs = [question.design for question in definition_of(survey).questions[:2]]
        edges = np.array([0, 100, 1000, 10_000])
        lows, highs = ([1, 2, 3, 4, 5], edges[:-1]), ([1, 2, 3, 4, 5], edges[1:])
        names = "1. How often were you afraid? – Mean", "2. How much did you not declare? – Mean"
        for place, (name, digits) in enumerate(zip(names, (2, 0), strict=True)):
            estimate = estimate_weighted(rows[:, place], numbers, designs[place], weights, margins=[margin])
            low, high = (estimate.mean(list(values[place])).interval(0.9) for values in (lows, highs))
            mean = estimate.mean(((np.array(lows[place]) + highs[place]) / 2).tolist())
            [cells] = rows_under(page, name)
            assert same(cells[6], mean.point, places=digits)
            assert same(cells[10], mean.standard_error, places=digits)
            assert outwards(cells[8], cells[9], (low.low, high.high), places=digits)
            assert same(cells[11], mean.design_effect, places=2)
        plainly = estimate_scale(np.bincount(rows[:, 0], numbers).astype(int), designs[0], 5).mean
        within = plainly.interval(0.9, "likelihood_ratio")
        [cells] = rows_under(page, names[0])
        assert same(cells[3], plainly.constrained, places=2)
        assert outwards(cells[4], cells[5], (within.low, within.high), places=2)
        # The twin: without weights it is another mean.
        assert not same(cells[6], plainly.point, places=2)

    def test_of_three_answers_what_leaves_the_range_is_limited_as_everywhere(self) -> None:
        counts = {"00": 40, "10": 30, "20": 10, "01": 30, "11": 12, "21": 11}
        survey = _closed(counts, one_of(), plain(**SUBJECT))
        rows, numbers = _columns(counts)
        margin = Margin("subject", rows[:, 1], numbers.sum() * np.array([0.6, 0.4]))
        estimate = estimate_weighted(
            rows[:, 0], numbers, k_ary(3, "1/2"), rake(numbers, [margin]).weights, margins=[margin]
        )
        assert estimate.point.min() < 0
        cells = _shares(page_of(PAGE, survey, "?q2-0=60&q2-1=40"))
        assert [same(row[6], 100 * value) for row, value in zip(cells, estimate.point, strict=True)] == [True] * 3
        limited = [float(row[7].rstrip("%")) for row in cells]
        assert min(limited) == 0
        assert sum(limited) == pytest.approx(100, abs=0.2)


def test_a_biased_sample_is_mended_and_the_truth_is_in_the_interval() -> None:
    """The seed is fixed; another one would miss it once in a thousand, and once in a million by twice as far."""
    chance = Random(7)  # noqa: S311 - answers of nobody
    survey = make_open(yes_no(leave_out="no"), plain(**SUBJECT))
    counts: Counter[str] = Counter()
    # Of the population half studies each; three of five in arts and one of ten in science have: 35 of 100.
    for subject, n, share in (("0", 900, 0.6), ("1", 100, 0.1)):
        for _ in range(n):
            truth = chance.random() < share
            counts[f"{int(chance.random() < (0.75 if truth else 0.25))}{subject}"] += 1
    fill(survey, dict(counts))
    close_survey(survey=survey)
    [cells] = _shares(page_of(PAGE, survey, "?q2-0=50&q2-1=50&level=.999"))
    numbers = [float(cell.rstrip("%")) for cell in cells[3:10]]
    assert numbers[5] <= 35 <= numbers[6]
    # The twin: the interval without weights misses it.
    assert not numbers[1] <= 35 <= numbers[2]


def test_the_mean_of_a_biased_sample_is_mended_too() -> None:
    """As above: the seed is fixed, and the interval is one that misses once in a thousand."""
    chance = Random(11)  # noqa: S311 - answers of nobody
    survey = make_open(scale(leave_out="no"), plain(**SUBJECT))
    column = np.array(definition_of(survey).questions[0].design.matrix, dtype=float).T
    counts: Counter[str] = Counter()
    # Arts are mostly at 2 and 3, science at 4 and 5; of the population half study each: the mean is (2.5 + 4.5)/2.
    for subject, n, points in (("0", 900, (1, 2)), ("1", 300, (3, 4))):
        for _ in range(n):
            counts[f"{chance.choices(range(5), column[chance.choice(points)])[0]}{subject}"] += 1
    fill(survey, dict(counts))
    close_survey(survey=survey)
    [cells] = rows_under(page_of(PAGE, survey, "?q2-0=50&q2-1=50&level=.999"), "1. How often were you afraid? – Mean")
    numbers = [float(cell) for cell in cells[3:10]]
    assert numbers[5] <= 3.5 <= numbers[6]
    # The twin: the interval without weights misses it.
    assert not numbers[1] <= 3.5 <= numbers[2]


class TestWhatIsTyped:
    @pytest.mark.parametrize(
        ("query", "named"),
        [
            ("?q2-0=30&q2-1=40&q2-2=27", "97"),
            ("?q2-0=30&q2-1=40", "“Later”"),
            ("?q2-0=0&q2-1=40&q2-2=60", "“0”"),
            ("?q2-0=x&q2-1=40&q2-2=60", "“x”"),
        ],
    )
    def test_shares_that_are_no_distribution_are_refused_at_their_question(self, query: str, named: str) -> None:
        page, context = page_and_context(PAGE, _closed(), query)
        [error] = [fields.error for fields in context["query"].margins if fields.error]
        assert named in error
        assert words_of(page).count(error) == 2  # above, and at the fields
        assert 'aria-invalid="true"' in page
        assert drawn_rows(page) == []

    @pytest.mark.parametrize(
        ("query", "named"), [("?largest=7", ["7"]), ("?role=clusters", ["clusters"]), ("?role=none", [])]
    )
    def test_what_does_not_exist_is_named_and_not_done(self, query: str, named: list[str]) -> None:
        page, context = page_and_context(PAGE, _closed(), query)
        assert [re.findall("“(.*?)”", notice) for notice in context["notices"]] == [[name] for name in named]
        assert all(notice in words_of(page) for notice in context["notices"])
        assert (context["query"].largest, context["query"].role) == ("", "none")

    def test_rounded_shares_are_scaled_to_100_and_a_comma_is_a_point(self) -> None:
        survey = _closed()
        rounded, exact = (
            _shares(page_of(PAGE, survey, query))
            for query in ("?q2-0=33,3&q2-1=33,3&q2-2=33,3", "?q2-0=25&q2-1=25&q2-2=50")
        )
        assert rounded != exact
        rows, counts = _columns(COUNTS)
        weights = rake(counts, [Margin("year", rows[:, 1], [1, 1, 1])]).weights
        assert same(rounded[0][6], 100 * estimate_weighted(rows[:, 0], counts, COINS, weights).point[1])

    def test_without_anything_typed_the_page_asks_and_shows_no_figure(self) -> None:
        page = page_of(PAGE, _closed())
        assert page.count("<fieldset") == 2
        assert drawn_rows(page) == []
        # Of 253 people 102 are in their first year.
        assert f"{100 * 102 / 253:.1f}% in this survey" in words_of(page)

    def test_of_many_plain_questions_the_first_eight_are_offered(self) -> None:
        counts = {"0" + "0" * 9: 30, "1" + "1" * 9: 40}
        asked = [plain(("No", "Yes"), f"Plain {place}?") for place in "abcdefghi"]
        page, context = page_and_context(PAGE, _closed(counts, yes_no(), *asked))
        assert page.count("<fieldset") == 8
        assert context["query"].more


class TestWhereThereAreNoWeights:
    def test_an_answer_that_nobody_gave_is_left_empty_or_named(self) -> None:
        survey = _closed({"00": 30, "10": 20, "01": 25, "11": 31}, yes_no(), plain())
        page, context = page_and_context(PAGE, survey, "?q2-0=30&q2-1=40&q2-2=30")
        [weights] = context["results"].weights
        assert (weights.problem, weights.culprit) == ("nobody", ("Question 2", "Later"))
        assert weights_words(weights, context["results"].plan, (), 10) in words_of(page)
        assert farthest_moved(context["results"]) is None
        assert len(_shares(page_of(PAGE, survey, "?q2-0=30&q2-1=70"))) == 1

    def test_shares_that_contradict_each_other_here_do_not_converge(self) -> None:
        counts = {"000": 30, "100": 20, "001": 25, "101": 31, "011": 20, "111": 15}
        survey = _closed(counts, yes_no(), plain(**SUBJECT), plain(("No", "Yes"), "Live here?"))
        # Whoever studies science lives here, so there cannot be more of those than of these.
        assert _problems(survey, "?q2-0=20&q2-1=80&q3-0=60&q3-1=40") == ["contradiction"]

    def test_a_survey_with_nothing_to_weight_by_has_no_tab_and_says_so(self) -> None:
        survey = _closed({"00": 30, "11": 20}, yes_no(), yes_no("And you?"))
        assert reverse(PAGE, args=[survey.code]) not in page_of("survey-results-plan", survey)
        page, context = page_and_context(PAGE, survey)
        assert not context["can_be_weighted"]
        assert "<fieldset" not in page
        group_of(survey, "Mon")
        assert reverse(PAGE, args=[survey.code]) in page_of("survey-results-plan", survey)
        plainly = _closed()
        assert reverse(PAGE, args=[plainly.code]) in page_of("survey-results-plan", plainly)

    def test_who_skipped_what_is_weighted_by_is_in_no_figure(self) -> None:
        skippable = plain(**SUBJECT, leave_out="visibly")
        survey = _closed({"00": 30, "10": 20, "01": 25, "11": 31, "0-": 20, "1-": 12}, yes_no(), skippable)
        page, context = page_and_context(PAGE, survey, "?q2-0=50&q2-1=50")
        assert _shares(page)[0][1] == "106"
        [weights] = context["results"].weights
        assert (weights.n, weights.left_out) == (106, 32)
        assert weights_words(weights, context["results"].plan, (), 10) in words_of(page)
        plainly = estimate_prevalence([55, 51], COINS)
        assert same(_shares(page)[0][3], 100 * plainly.constrained[1])

    def test_reports_that_nobody_who_follows_sends_have_no_estimate_to_trust(self) -> None:
        survey = _closed({"00": 60, "01": 50, "10": 1, "11": 2}, yes_no(), plain(**SUBJECT))
        page, context = page_and_context(PAGE, survey, "?q2-0=30&q2-1=70")
        assert _shares(page)[0][3:] == ["not reliable"] * 9
        assert [value for _, value in drawn_rows(page)] == ["–", "–"]
        assert farthest_moved(context["results"]) is None


class TestSmallNumbers:
    def test_answers_that_few_share_are_one_field(self) -> None:
        survey = _closed({"00": 30, "10": 20, "01": 25, "11": 31, "12": 3}, yes_no(), plain())
        page = page_of(PAGE, survey, "?q2-0=30&q2-1=70")
        assert 'name="q2-1"' in page
        assert 'name="q2-2"' not in page
        assert len(_shares(page)) == 1

    def test_who_gave_an_answer_that_few_gave_changes_nothing_on_the_page(self) -> None:
        def look(counts: dict[str, int]) -> str:
            survey = _closed({"00": 30, "10": 20, "11": 31, "12": 1} | counts, yes_no(), plain())
            return words_of(
                page_of(PAGE, survey, "?q2-0=1&q2-1=99&largest=5").split('<details class="fold population')[1]
            )

        first = look({"01": 30, "02": 3})
        assert look({"01": 32, "02": 1}) == look({"01": 33}) == first
        # The twin: what is told apart changes it.
        assert look({"01": 32, "02": 1, "00": 31}) != first

    def test_a_question_of_which_nothing_may_be_told_is_named_and_not_offered(self) -> None:
        survey = _closed({"00": 30, "10": 20, "01": 2, "11": 4}, yes_no(), plain(**SUBJECT))
        page, context = page_and_context(PAGE, survey, "?q2-0=50&q2-1=50")
        assert context["suppressed"] == [2]
        assert 'data-says="not-weighted-by"' in page
        assert "<fieldset" not in page
        assert drawn_rows(page) == []

    def test_groups_can_be_weighted_by_once_the_survey_is_closed(self) -> None:
        survey = make_open(yes_no())
        for name, counts in (("Mon", {"0": 20, "1": 12}), ("Tue", {"0": 12, "1": 30})):
            fill(survey, counts, group=group_of(survey, name))
        assert "<fieldset" not in page_of(PAGE, survey)
        survey = close_survey(survey=survey)
        assert page_of(PAGE, survey).count("<fieldset") == 1
        mon, tue = survey.groups.order_by("pk")
        rows = np.array([0, 1, 0, 1])
        margin = Margin("group", [0, 0, 1, 1], [0.5, 0.5])
        weights = rake([20, 12, 12, 30], [margin]).weights
        estimate = estimate_weighted(rows, [20, 12, 12, 30], COINS, weights, margins=[margin])
        page, context = page_and_context(PAGE, survey, f"?group-{mon.pk}=50&group-{tue.pk}=50&role=clusters")
        # Groups of which the shares are known are all there are.
        assert context["query"].role == "strata"
        [notice] = context["notices"]
        assert notice in page
        strata = estimate_weighted(rows, [20, 12, 12, 30], COINS, weights, margins=[margin], strata=[0, 0, 1, 1])
        assert same(_shares(page)[0][6], 100 * estimate.point[1])
        assert same(_shares(page)[0][10], 100 * strata.standard_error[1])

    def test_groups_that_few_are_in_are_one_and_their_names_are_not_told(self) -> None:
        survey = make_open(yes_no(leave_out="no"), minimum_n=10)
        for name, size in (("North", 30), ("South", 26), ("East", 7), ("West", 6)):
            answer(survey, {"0": size - 3, "1": 3}, group_of(survey, name))
        answer(survey, {"0": 12, "1": 4})
        close_survey(survey=survey)
        page = page_of(PAGE, survey)
        legend = words_of(page)
        shares = {"North": 30, "South": 26, "No group": 16, "Other groups": 13}
        assert all(f"{name} {100 * size / 85:.1f}% in this survey" in legend for name, size in shares.items())
        assert not any(name in legend for name in ("East", "West"))
        [weights] = context_of(PAGE, survey, "?role=clusters")["results"].weights
        assert weights.clusters == 4

    def test_with_fewer_than_two_groups_told_apart_there_are_no_clusters(self) -> None:
        survey = make_open(yes_no(leave_out="no"), minimum_n=10)
        for name in ("North", "South"):
            answer(survey, {"0": 7, "1": 2}, group_of(survey, name))
        close_survey(survey=survey)
        assert _problems(survey, "?role=clusters") == ["one_cluster"]

    def test_too_few_answers_to_a_question_are_told_as_a_count_of_questions_only(self) -> None:
        survey = _closed(
            {"0-0": 30, "1-0": 20, "0-1": 25, "1-1": 31, "011": 3}, yes_no(), yes_no("Rarely?"), plain(**SUBJECT)
        )
        page, context = page_and_context(PAGE, survey, "?q3-0=30&q3-1=70")
        assert too_few_words(context["results"]) in page
        assert len(_shares(page)) == 1

    def test_sealed_to_pairs_the_first_plain_question_is_weighted_by_and_it_is_said(self) -> None:
        survey = _closed()
        before = _shares(page_of(PAGE, survey, "?q2-0=30&q2-1=40&q2-2=30"))
        seal_survey(survey=survey, pairs_only=True)
        page = page_of(PAGE, survey, "?q2-0=30&q2-1=40&q2-2=30")
        assert _shares(page) == before
        assert 'data-says="sealed-to-pairs"' in page
        assert page.count("<fieldset") == 1


# Random arms


TWO = [{"name": "Coins", "weight": 1}, {"name": "Cards", "weight": 1}]
IN_ARMS = {"0-00": 30, "1-00": 25, "0-10": 20, "1-10": 31, "-001": 40, "-101": 20, "-011": 15, "-111": 25}


def _with_arms(counts: dict[str, int] | None = None) -> Survey:
    asked = yes_no("One way?", arms=[1], leave_out="no"), yes_no("Another?", arms=[2], leave_out="no"), plain(**SUBJECT)
    return _closed(counts or IN_ARMS, *asked, arms=TWO)


def test_a_question_asked_in_some_arms_is_weighted_among_those_who_were_asked_it() -> None:
    survey = _with_arms()
    page, context = page_and_context(PAGE, survey, "?q3-0=80&q3-1=20")
    results, sizes = context["results"], ([30, 25, 20, 31], [40, 20, 15, 25])
    assert [(each.arms, each.n) for each in results.weights] == [((1,), 106), ((2,), 100)]
    for each, cells, counts in zip(results.weights, _shares(page), sizes, strict=True):
        margin = Margin("subject", [0, 0, 1, 1], sum(counts) * np.array([0.8, 0.2]))
        weights = rake(counts, [margin]).weights
        estimate = estimate_weighted([0, 1, 0, 1], counts, COINS, weights, margins=[margin])
        assert same(cells[1], sum(counts), places=0)
        assert same(cells[2], estimate.effective_n)
        assert same(cells[6], 100 * estimate.point[1])
        assert same(cells[10], 100 * estimate.standard_error[1])
        assert each.largest == pytest.approx(weights.max())
        assert weights_words(each, results.plan, context["definition"].arms, 10) in words_of(page)


def _asked_directly(counts: dict[str, int]) -> Survey:
    plainly = yes_no("Directly?", arms=[2], quantity=1, design="plain", parameters={}, leave_out="no")
    coins, everybody = yes_no("One way?", arms=[1], quantity=1, leave_out="no"), yes_no("All?", leave_out="no")
    return _closed(counts, coins, plainly, plain(**SUBJECT), everybody, arms=TWO)


DIRECTLY = {f"{each[:3]}0{each[3]}": n for each, n in IN_ARMS.items()}


def test_the_same_asked_directly_is_weighted_by_the_same_estimator() -> None:
    page = page_of(PAGE, _asked_directly(DIRECTLY), "?q3-0=80&q3-1=20")
    counts = [40, 20, 15, 25]
    margin = Margin("subject", [0, 0, 1, 1], 100 * np.array([0.8, 0.2]))
    estimate = estimate_weighted([0, 1, 0, 1], counts, direct(2), rake(counts, [margin]).weights, margins=[margin])
    [_coins, cells, _all] = _shares(page)
    assert cells[0].startswith("2. ")
    assert same(cells[6], 100 * estimate.point[1])
    # Of those who study arts 20 of 60 say Yes, and of the others 25 of 40.
    assert same(cells[6], 80 * 20 / 60 + 20 * 25 / 40)
    assert same(cells[10], 100 * estimate.standard_error[1])


def test_the_same_asked_directly_is_not_weighted_where_it_is_not_told_or_weighted_by() -> None:
    # Too few say Yes, so neither answer is told.
    survey = _asked_directly({**DIRECTLY, "-1001": 3, "-1101": 3})
    assert "2. Directly?" not in page_of(PAGE, survey, "?q3-0=80&q3-1=20")
    assert "Directly? – Yes" not in page_of(PAGE, _asked_directly(DIRECTLY), "?q2-0=80&q2-1=20")


def test_in_an_arm_that_nobody_of_a_group_came_to_its_question_alone_has_no_weights() -> None:
    survey = make_open(
        yes_no("One way?", arms=[1], leave_out="no"), yes_no("Another?", arms=[2], leave_out="no"), arms=TWO
    )
    mon, tue = group_of(survey, "Mon"), group_of(survey, "Tue")
    answer(survey, {"0-0": 30, "1-0": 25, "-01": 20, "-11": 21}, mon)
    answer(survey, {"0-0": 12, "1-0": 31}, tue)
    close_survey(survey=survey)
    coins, cards = context_of(PAGE, survey, f"?group-{mon.pk}=50&group-{tue.pk}=50")["results"].weights
    assert (coins.n, coins.problem) == (98, "")
    assert (cards.problem, cards.culprit) == ("nobody", ("Groups", "Tue"))


# What pages cannot lead to: the rules that stand behind what is told together


def _plan(survey: Survey, minimum_n: int, shares: tuple[float, float]) -> list[str]:
    """Return the problems with a survey whose minimum was lower when answers were told together."""
    stored = definition_of(survey)
    definition, snapshot = recode(stored, snapshot_of(survey, stored))
    separable = separable_groups(snapshot, definition)
    groups = GroupCategories.of(snapshot, separable, {}, without="", others="")
    item = definition.items[-1]
    known = KnownShares(item, "Subject", item.labels, shares)
    snapshot = replace(snapshot, minimum_n=minimum_n)
    results = weighted_results(definition, snapshot, WeightingPlan((known,), "none", None, groups, FigureOptions()))
    assert all(not item.answers for question in results.questions for item in question.items)
    return [weights.problem for weights in results.weights]


def test_a_combination_of_too_few_is_never_weighted() -> None:
    survey = _closed({"00": 30, "10": 20, "01": 25, "11": 31}, yes_no(leave_out="no"), plain(**SUBJECT), minimum_n=10)
    assert _plan(survey, 51, (0.5, 0.5)) == ["small"]
    assert _plan(survey, 107, (0.5, 0.5)) == ["too_few"]


def test_a_combination_in_which_too_few_answered_is_not_shown() -> None:
    survey = _closed({"00": 30, "10": 20, "01": 25, "11": 31, "-0": 20, "-1": 20}, yes_no(), plain(**SUBJECT))
    assert _plan(survey, 55, (0.5, 0.5)) == [""]


def test_of_very_many_answers_those_that_moved_farthest_are_drawn_and_the_table_has_all() -> None:
    chance = Random(3)  # noqa: S311 - answers of nobody
    counts = Counter(
        "".join(str(chance.randrange(5)) for _ in range(5)) + str(int(chance.random() < 0.3)) for _ in range(400)
    )
    survey = _closed(dict(counts), *(scale(f"Scale {name}?") for name in "abcde"), plain(**SUBJECT))
    page, context = page_and_context(PAGE, survey, "?q6-0=30&q6-1=70")
    assert len(_shares(page)) == 25
    # In two rows each twenty answers, and the means of five scales.
    assert len(drawn_rows(page)) == 40 + 10
    shares = [each for each in compared_answers(context["results"]) if not each.units]
    farthest = sorted(shares, key=lambda each: -abs(each.shift))[:20]
    [chart, *_means] = context["charts"]
    assert chart.note in page
    assert {row.label for row in chart.rows[::2]} == {each.name for each in farthest}


def test_a_chart_can_be_taken_along() -> None:
    survey = _closed()
    response = owner_of(survey).get(reverse(PAGE, args=[survey.code]) + KNOWN + "&chart=weights")
    assert response["Content-Type"].startswith("image/svg+xml")
