"""The programs that weight find the page's numbers again from the CSV alone."""

import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from django.test import RequestFactory
from django.urls import reverse

from surveys.course.services import close_survey
from surveys.models import Group, Survey
from surveys.results.figures.weighted_contrasts import weighted_anchored, weighted_differences, weighted_lists
from surveys.results.figures.weights import weighted_results
from surveys.results.pages.weights import asked_anchor, asked_weights
from surveys.results.report import Report
from tests.exporting.reports import download
from tests.exporting.running import BLOCKING, differences, numbers, run
from tests.exporting.test_literals import HOSTILE
from tests.factories import (
    PROTECTED,
    crosswise,
    fill,
    make_open,
    number_mean,
    number_window,
    one_of,
    plain,
    scale,
    two_lists,
    yes_no,
)
from tests.pages import owner_of
from tests.programs import R_SURVEY, RSCRIPT
from tests.results.grouping import group_of

pytestmark = pytest.mark.django_db
ARMS = [{"name": "Coins", "weight": 1}, {"name": "Cards", "weight": 2}]
SHARES = "?q3-0=30&q3-1=70&q4-0=20&q4-1=50&q4-2=30"


@pytest.fixture
def survey() -> Survey:
    survey = make_open(
        yes_no("\"); quit(status = 7) #'); import os; os.abort() #\\"),
        one_of(HOSTILE[:3], arms=[2]),
        plain(("No", "Yes"), "Live here?", leave_out="visibly"),
        plain(),
        scale(points=3, leave_out="no"),
        number_mean(leave_out="no"),
        scale(points=3, **PROTECTED),
        number_mean(**PROTECTED),
        number_window(leave_out="no"),
        title='A "title" with \\ and #',
        arms=ARMS,
        minimum_n=5,
    )
    for seed, name in enumerate(("Mon", "Tue", "Wed")):
        _fill(survey, 800, seed, group_of(survey, name))
    _fill(survey, 800, 7)
    return close_survey(survey=survey)


def _fill(survey: Survey, n: int, seed: int, group: Group | None = None) -> None:
    """Of random reports the last character is the arm, and the first arm is not asked the second question."""
    chance = Random(seed)  # noqa: S311 - answers of nobody
    counts: Counter[str] = Counter()
    for _ in range(n):
        arm, here = chance.randrange(2), chance.choice("0011-")
        first = "-" if chance.random() < 0.1 else chance.choice("001")
        more = "".join(map(chance.choice, ("0012", "0112", "001", "012233", "0112", "456789ab")))
        counts[f"{first}{chance.choice('0012') if arm else '-'}{here}{more}{arm}"] += 1
    fill(survey, dict(counts), group=group)


def _page(survey: Survey, query: str) -> dict[str, float]:
    """What the page says with this query, as the programs name it."""
    request = RequestFactory().get("/" + query)
    asked = Report(survey, query=request.GET)
    results, values = weighted_results(asked.definition, asked.snapshot, asked_weights(asked)[1]), {}
    for question in results.questions:
        for item in question.items:
            name = f"q{item.unweighted.item.key}"
            codes = item.unweighted.shown_codes
            values |= {
                f"{name}.n": item.unweighted.n,
                f"{name}.effective_n": item.effective_n,
                f"{name}.largest_weight": question.weights.largest,
                f"{name}.trimmed": question.weights.trimmed,
            }
            answers = list(item.answers)
            if answers[0].units:
                mean = answers.pop(0).weighted
                values |= {f"{name}.mean": mean.moment, f"{name}.mean.standard_error": mean.standard_error}
            for code, answer in zip(codes, answers, strict=True):
                values[f"{name}.estimate.{code}"] = answer.weighted.moment
                values[f"{name}.standard_error.{code}"] = answer.weighted.standard_error
                values[f"{name}.agresti_coull.low.{code}"] = answer.weighted.low
                values[f"{name}.agresti_coull.high.{code}"] = answer.weighted.high
    return values


def _program(survey: Survey, folder: Path, language: str, query: str) -> dict[str, float]:
    if language == "r" and RSCRIPT.find() is None:
        pytest.skip(RSCRIPT.how_to_install)
    client, ending = owner_of(survey), {"python": "py", "r": "R"}[language]
    (folder / f"responses-{survey.code}.csv").write_bytes(download(client, survey, "survey-export-csv"))
    program, out = folder / f"weights.{ending}", folder / "results.csv"
    program.write_bytes(download(client, survey, f"survey-export-weights-{language}", query))
    responses = str(folder / f"responses-{survey.code}.csv")
    before = [sys.executable, "-c", BLOCKING] if language == "python" else [str(RSCRIPT.find()), "--vanilla"]
    run([*before, str(program), responses, str(out)])
    return numbers(out)


@pytest.mark.parametrize("language", ["python", "r"])
def test_a_program_computes_the_numbers_of_the_page(survey: Survey, tmp_path: Path, language: str) -> None:
    for more in ("", "&role=clusters", "&role=strata", "&largest=2"):
        output, expected = _program(survey, tmp_path, language, SHARES + more), _page(survey, SHARES + more)
        # Four numbers of each of seven questions, four of each answer that is told, and two of each mean.
        assert len(expected) == 4 * 7 + 4 * (1 + 3 + 3 + 4 + 1) + 2 * 5
        assert differences({name: output[name] for name in expected}, expected) == []
        assert "q1.degrees_of_freedom" in output


def test_what_is_asked_directly_in_another_arm_is_in_the_program_too(tmp_path: Path) -> None:
    coins, plainly = (
        yes_no(quantity=1, arms=[1]),
        yes_no("Directly?", quantity=1, arms=[2], design="plain", parameters={}),
    )
    survey = make_open(coins, plainly, plain(("No", "Yes"), "Live here?"), yes_no("All?", leave_out="no"), arms=ARMS)
    fill(survey, {f"{each}-{here}00": 20 + 5 * here + each for each in (0, 1) for here in (0, 1)})
    fill(survey, {f"-{each}{here}01": 30 - 5 * here + each for each in (0, 1) for here in (0, 1)})
    survey, query = close_survey(survey=survey), "?q3-0=30&q3-1=70"
    output, expected = _program(survey, tmp_path, "python", query), _page(survey, query)
    assert "q2.estimate.1" in expected
    assert differences({name: output[name] for name in expected}, expected) == []


HALVES = [{"name": "First", "weight": 1}, {"name": "Second", "weight": 1}]
BORN = {
    "innocuous": "Was your father born in January, February or March?",
    "innocuous_source": "Births by month, national statistics: 1 of 4.",
}
TOGETHER = "?q3-0=45&q3-1=55&anchor=7&known=0"


@pytest.fixture
def compared() -> Survey:
    """Coins beside a direct question, two lists, and a question with an anchor, of three groups."""
    survey = make_open(
        yes_no(quantity=1, arms=[1]),
        yes_no("Directly?", quantity=1, arms=[2], design="plain", parameters={}),
        plain(("No", "Yes"), "Live here?"),
        *two_lists(2),
        crosswise(leave_out="no"),
        crosswise("Have you ever been to Mars?", details=BORN, leave_out="no"),
        arms=HALVES,
        minimum_n=5,
    )
    for seed, (name, yes) in enumerate({"Mon": 0.3, "Tue": 0.5, "Wed": 0.6, "Thu": 0.4}.items()):
        chance = Random(seed)  # noqa: S311 - answers of nobody
        counts: Counter[str] = Counter()
        for _ in range(500):
            arm, here = chance.randrange(2), int(chance.random() < yes)
            asked = (
                "-" if not arm and chance.random() < 0.05 else str(int(chance.random() < (0.25 + 0.3 * here, 0.2)[arm]))
            )
            lists = (str(chance.choice((0, 1, 1, 2, 3))), str(chance.choice((0, 1, 2, 2, 3, 4))))[arm]
            cards = f"{int(chance.random() < 0.6)}{int(chance.random() < 0.7)}"
            counts[f"{'-' * arm}{asked}{'-' * (1 - arm)}{here}{'-' * arm}{lists}{'-' * (1 - arm)}{cards}{arm}"] += 1
        fill(survey, dict(counts), group=group_of(survey, name))
    return close_survey(survey=survey)


def _contrasts(survey: Survey, query: str) -> dict[str, float]:
    """What the page says of several questions together, as the programs name it."""
    asked = Report(survey, query=RequestFactory().get("/" + query).GET)
    plan, anchor = asked_weights(asked)[1], asked_anchor(asked)
    results = weighted_results(asked.definition, asked.snapshot, plan)
    [difference] = weighted_differences(asked.definition, asked.snapshot, results)
    [both] = weighted_lists(asked.stored, asked.snapshot, plan)
    assert anchor.anchor
    [corrected] = weighted_anchored(results, asked.snapshot, asked.definition, anchor.anchor, anchor.known)
    values = {"q1-q2.1.mover.low": difference.interval.low, "q1-q2.1.mover.high": difference.interval.high}
    for name, share in (("q5-q4", both.share), ("q6/q7", corrected.share)):
        values |= {f"{name}.estimate": share.moment, f"{name}.standard_error": share.standard_error}
        values |= {f"{name}.mover.low": share.low, f"{name}.mover.high": share.high}
    return values


@pytest.mark.parametrize("language", ["python", "r"])
def test_a_program_computes_what_several_questions_say_together(
    compared: Survey, tmp_path: Path, language: str
) -> None:
    for query in (TOGETHER, TOGETHER + "&role=strata&largest=2", TOGETHER + "&role=clusters"):
        output, expected = _program(compared, tmp_path, language, query), _contrasts(compared, query)
        assert differences({name: output[name] for name in expected}, expected) == []
    # Four groups are clusters of both arms.
    assert output["q1-q2.1.degrees_of_freedom"] == 3


SURVEY_PACKAGE = """
suppressMessages(library(survey))
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1], colClasses = "character", na.strings = "")
data <- data[!is.na(data$q3), ]
first <- data$arm == "0"
cell <- 2 * as.integer(data$arm) + as.integer(data$q3)
guess <- ifelse(first, (as.integer(data$q1) - 0.25) / 0.5, as.integer(data$q2))
told <- !is.na(guess)
truth <- function(codes, k) {
  matrix <- diag(0.5, k) + 0.5 / k
  as.vector(0:(k - 1) %*% solve(matrix))[codes + 1]
}
count <- ifelse(first, truth(as.integer(data$q4), 4), truth(as.integer(data$q5), 5))
rows <- data.frame(
  cell = cell, group = data$group, p1 = ifelse(told & first, guess, 0), n1 = told & first,
  p2 = ifelse(told & !first, guess, 0), n2 = told & !first, l1 = ifelse(!first, count, 0), m1 = !first,
  l2 = ifelse(first, count, 0), m2 = first
)
rows[] <- lapply(rows, function(column) if (is.logical(column)) column + 0 else column)
sizes <- c(sum(first), sum(!first))
population <- data.frame(cell = 0:3, Freq = c(sizes[1] * c(0.45, 0.55), sizes[2] * c(0.45, 0.55)))
say <- function(name, found) {
  cat(sprintf("%s.estimate,%.17g\\n%s.standard_error,%.17g\\n", name, coef(found), name, SE(found)))
}
cat("name,value\n")
design <- switch(arguments[2],
  strata = svydesign(ids = ~1, strata = ~group, weights = ~1, data = rows),
  clusters = svydesign(ids = ~group, weights = ~1, data = rows),
  none = svydesign(ids = ~1, weights = ~1, data = rows)
)
weighted <- postStratify(design, ~cell, population)
totals <- svytotal(~p1 + n1 + p2 + n2 + l1 + m1 + l2 + m2, weighted)
say("q1-q2.1", svycontrast(totals, quote(p1 / n1 - p2 / n2)))
say("q5-q4", svycontrast(totals, quote(l1 / m1 - l2 / m2)))
"""


@pytest.mark.parametrize("role", ["none", "strata", "clusters"])
def test_the_program_finds_what_package_survey_finds(compared: Survey, tmp_path: Path, role: str) -> None:
    if R_SURVEY.find() is None:
        pytest.skip(R_SURVEY.how_to_install)
    output = _program(compared, tmp_path, "python", f"{TOGETHER}&role={role}")
    script = tmp_path / "survey.R"
    script.write_text(SURVEY_PACKAGE)
    responses = tmp_path / f"responses-{compared.code}.csv"
    written = run([str(RSCRIPT.find()), "--vanilla", str(script), str(responses), role]).stdout
    (tmp_path / "found.csv").write_text(written)
    expected = numbers(tmp_path / "found.csv")
    assert len(expected) == 4
    assert differences({name: output[name] for name in expected}, expected) == []


def test_what_is_no_distribution_makes_no_program(survey: Survey) -> None:
    client = owner_of(survey)
    for language in ("r", "python"):
        address = reverse(f"survey-export-weights-{language}", args=[survey.code])
        assert client.get(f"{address}?q3-0=30&q3-1=60").status_code == 400


def test_the_page_leads_to_them_with_what_was_asked_for(survey: Survey) -> None:
    page = owner_of(survey).get(reverse("survey-results-weights", args=[survey.code]) + SHARES).content.decode()
    assert f"{reverse('survey-export-weights-r', args=[survey.code])}?q3-0=30&amp;q3-1=70" in page
