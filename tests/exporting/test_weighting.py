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
from surveys.results.figures.weights import weighted_results
from surveys.results.pages.weights import asked_weights
from surveys.results.report import Report
from tests.exporting.reports import download
from tests.exporting.running import BLOCKING, differences, numbers, run
from tests.exporting.test_literals import HOSTILE
from tests.factories import PROTECTED, fill, make_open, number_mean, number_window, one_of, plain, scale, yes_no
from tests.pages import owner_of
from tests.programs import RSCRIPT
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
    if language == "r" and RSCRIPT.find() is None:
        pytest.skip(RSCRIPT.how_to_install)
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


def test_what_is_no_distribution_makes_no_program(survey: Survey) -> None:
    client = owner_of(survey)
    for language in ("r", "python"):
        address = reverse(f"survey-export-weights-{language}", args=[survey.code])
        assert client.get(f"{address}?q3-0=30&q3-1=60").status_code == 400


def test_the_page_leads_to_them_with_what_was_asked_for(survey: Survey) -> None:
    page = owner_of(survey).get(reverse("survey-results-weights", args=[survey.code]) + SHARES).content.decode()
    assert f"{reverse('survey-export-weights-r', args=[survey.code])}?q3-0=30&amp;q3-1=70" in page
