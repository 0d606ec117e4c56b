"""An audit of what is lost: the reports of a hundred thousand people of each true answer, counted from outside.

A lower bound of ln(P(report | one truth) / P(report | another)) that holds but once in a million is compared with the ε
that is promised: it must not exceed ε, and it must come near it, or the promise would be about something else. Draws
are so many that an honest randomizer fails less than once in a million runs.
"""

import http.client
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from math import inf, log
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Page, Route
from scipy import stats

from surveys.answering.services import perturbing
from surveys.common.selectors import definition_of
from surveys.models import Survey
from surveys.privacy import randomness
from surveys.privacy.designs import forced_response
from surveys.questionnaire.asked_question import Item
from tests.browser.answering import every_way
from tests.browser.conftest import Standing
from tests.browser.standing import AUDITED
from tests.factories import make_open, number_mean, yes_no

FALSE_ALARM = 1e-6
PEOPLE = 100_000
TIGHT = 0.95
ITEMS = 140

Counts = Sequence[Sequence[int]]


def lost_at_least(counts: Counts) -> float:
    """Return the largest lower bound of ε over all reports and pairs of truths, by Clopper and Pearson."""
    people = [sum(count) for count in counts]
    pairs = [
        (report, one, other)
        for report in range(len(counts[0]))
        for one in range(len(counts))
        for other in range(len(counts))
        if one != other
    ]
    error = FALSE_ALARM / len(pairs) / 2
    losses = []
    for report, one, other in pairs:
        often, seldom = counts[one][report], counts[other][report]
        lowest = stats.beta.ppf(error, often, people[one] - often + 1) if often else 0.0
        highest = stats.beta.isf(error, seldom + 1, people[other] - seldom) if seldom < people[other] else 1.0
        losses.append(log(lowest / highest) if lowest else -inf)
    return max(losses)


def attained(counts: Counts, epsilon: float) -> bool:
    return TIGHT * epsilon <= lost_at_least(counts) <= epsilon


# Through real HTTP, in server mode.


def count_by_http(address: str, code: str, people: int) -> Counts:
    """Send as many answers No as Yes to every item, and count the reports that the server sends back."""
    requests = 2 * -(-people // ITEMS)
    with ThreadPoolExecutor(2) as pool:
        halves = pool.map(partial(_send, address, code), [range(requests // 2), range(requests // 2)])
    counts = [[0, 0], [0, 0]]
    for half in halves:
        for truth in (0, 1):
            for report in (0, 1):
                counts[truth][report] += half[truth][report]
    return counts


def _send(address: str, code: str, turns: range) -> Counts:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    keys = [f"answer-{number}{letter}" for number in range(1, 8) for letter in "abcdefghijklmnopqrst"]
    counts = [[0, 0], [0, 0]]
    for turn in turns:
        truths = [(place + turn) % 2 for place in range(ITEMS)]
        fields = {"nonce": secrets.token_urlsafe(16), "mode": "server"}
        body = urlencode(fields | dict(zip(keys, truths, strict=True)))
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://{urlsplit(address).netloc}"}
        connection.request("POST", f"/s/{code}/server/", body, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 303
        for truth, report in zip(truths, _received(answer), strict=True):
            counts[truth][int(report)] += 1
    connection.close()
    return counts


def _received(answer: http.client.HTTPResponse) -> str:
    """Return the reports that the browser is handed for its receipt."""
    cookies = [value for name, value in answer.getheaders() if name.lower() == "set-cookie"]
    (receipt,) = (cookie for cookie in cookies if cookie.startswith("deniable_receipt=server."))
    return receipt.split(";")[0].partition(".")[2]


# So many are needed to be sure: with a tenth of them `make test` finds a planted fault.
@pytest.mark.slow
def test_the_servers_reports_attain_epsilon_and_do_not_exceed_it(standing: Standing) -> None:
    counts = count_by_http(standing.server.address, "AUDTED", PEOPLE)
    assert all(sum(count) >= PEOPLE for count in counts)
    assert attained(counts, forced_response(truth="4/5").epsilon)


@pytest.mark.parametrize("truth", ["9/10", "3/5"])
@pytest.mark.slow
def test_a_server_with_less_or_more_chance_than_it_says_is_caught(
    site: str, monkeypatch: pytest.MonkeyPatch, truth: str
) -> None:
    survey = make_open(*AUDITED, server_mode_allowed=True)
    other = forced_response(truth=truth)
    monkeypatch.setattr(
        perturbing, "draw_report", lambda _design, code, below: randomness.draw_report(other, code, below)
    )
    counts = count_by_http(site, survey.code, PEOPLE // 10)
    assert not attained(counts, forced_response(truth="4/5").epsilon)


# Through the module in the browser, with what the page of a survey hands to it.

# Asking Chromium for one word at a time takes most of the time, so it is asked for many at once.
COUNT = """async ({ numbers, people }) => {
  const real = crypto.getRandomValues.bind(crypto);
  const words = new Uint32Array(16_384);
  let next = words.length;
  crypto.getRandomValues = (wanted) => {
    if (next === words.length) [next] = [0, real(words)];
    return wanted.fill(words[next++]);
  };
  let called = 0;
  Math.random = () => { called += 1; return 0.5; };
  const { drawReport, drawNumberReport } = await import("/static/js/randomizer.js");
  const { questions } = JSON.parse(document.getElementById("definition").textContent);
  const counts = numbers.map((number) => {
    const { columns, denominator, range } = questions[number - 1];
    // Of a number: the lowest, one in the middle, the highest; then “prefer not to say”.
    const draws = (range ? [0, 15, range.steps] : []).map(
      (stepsTo) => () => drawNumberReport(columns, denominator, range.steps, stepsTo));
    columns.forEach((_, truth) => {
      if (!range || truth > 1) draws.push(() => drawReport(columns, denominator, truth));
    });
    return draws.map((draw) => {
      const count = columns[0].map(() => 0);
      for (let person = 0; person < people; person += 1) count[draw()] += 1;
      return count;
    });
  });
  return { counts, called };
}"""


def expected(item: Item) -> list[list[Fraction]]:
    """Return for each true answer the exact probability of each report."""
    columns = [list(column) for column in zip(*item.design.matrix, strict=True)]
    if item.range is None:
        return columns
    low, high, *rest = columns
    share = Fraction(15, item.range.steps)
    middle = [(1 - share) * down + share * up for down, up in zip(low, high, strict=True)]
    return [low, middle, high, *rest]


def fits(counts: Counts, probabilities: list[list[Fraction]], tests: int) -> bool:
    """Chi-squared test of each true answer's counts; a false alarm in a million over all `tests`."""
    return all(
        stats.chisquare(count, [float(share * sum(count)) for share in shares]).pvalue >= FALSE_ALARM / tests
        for count, shares in zip(counts, probabilities, strict=True)
    )


def _by_device(survey: Survey) -> list[Item]:
    """Return one item for each channel that a device makes: design, and how a number is rounded first."""
    items = [question.first for question in definition_of(survey).questions if not question.tapped]
    return list({(item.design, item.range): item for item in items}.values())


def _count(page: Page, survey: Survey, items: list[Item], people: int) -> dict[str, Any]:
    page.goto(f"/s/{survey.code}/")
    counted: dict[str, Any] = page.evaluate(
        COUNT, {"numbers": [item.question_number for item in items], "people": people}
    )
    return counted


def test_a_phones_reports_of_every_kind_fit_their_design_attain_epsilon_and_do_not_exceed_it(page: Page) -> None:
    """Twice as many people, so that ln 3, and more, is told from 0.95 of it."""
    survey = make_open(*every_way())
    items = _by_device(survey)
    counted = _count(page, survey, items, 2 * PEOPLE)
    tests = sum(len(expected(item)) for item in items)
    assert tests == sum(len(counts) for counts in counted["counts"]) == 36
    unfit, unattained = [], []
    for item, counts in zip(items, counted["counts"], strict=True):
        unfit += [] if fits(counts, expected(item), tests) else [item.text]
        unattained += [] if attained(counts, item.design.epsilon) else [item.text]
    assert (unfit, unattained) == ([], [])
    assert counted["called"] == 0


WRONG = {
    "a number that is rounded by eye": (
        "below(steps) < reached - cell * steps",
        "2 * (reached - cell * steps) > steps",
    ),
    "a truth that passes too often": ("below(denominator)", "Math.max(0, below(denominator) - 1)"),
}


@pytest.mark.parametrize(("right", "wrong"), WRONG.values(), ids=WRONG)
@pytest.mark.slow
def test_a_wrong_randomizer_on_the_phone_is_caught(page: Page, right: str, wrong: str) -> None:
    def fake(route: Route) -> None:
        response = route.fetch()
        source = response.text()
        assert source.count(right) == 1
        route.fulfill(response=response, body=source.replace(right, wrong))

    page.route("**/randomizer*.js", fake)
    survey = make_open(yes_no(), number_mean())
    items = _by_device(survey)
    counted = _count(page, survey, items, PEOPLE)
    assert not all(fits(counts, expected(item), 5) for item, counts in zip(items, counted["counts"], strict=True))
