"""Random arms on the way of an answer: dealt once, kept by a cookie, sent, checked, stored with the reports."""

import re
from collections import Counter
from fractions import Fraction

import pytest
from django.http import HttpResponse
from django.test import Client

from surveys.answering.services.simulating import simulate
from surveys.answering.views import arms
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.claims import FigureOptions
from surveys.exporting.files.csv_file import with_codes
from surveys.exporting.files.json_file import with_everything
from surveys.exporting.selectors import group_names_of, rows_of
from surveys.models import Survey
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.selectors.tally import cells_of
from surveys.responses.services.cells import write_anew
from surveys.responses.services.steps import Steps
from surveys.responses.told import recode
from surveys.results.figures.questions import question_result, results_of
from tests.answering.test_sending import BY_SCRIPT, NONCE, device, in_arm, stored
from tests.factories import make_open, one_of, yes_no

pytestmark = pytest.mark.django_db

TWO = [{"name": "Coins", "weight": 2}, {"name": "Spinner", "weight": 1}]
FIRST, SECOND, BOTH = "Asked of the first arm?", "Asked of the second arm?", "Asked of both?"
HALF = [Fraction(1, 2)] * 2


@pytest.fixture
def survey() -> Survey:
    return make_open(
        yes_no(FIRST, arms=[1]),
        yes_no(SECOND, arms=[2], leave_out="no"),
        one_of(text=BOTH),
        arms=TWO,
        server_mode_allowed=True,
    )


def _deal(monkeypatch: pytest.MonkeyPatch, drawn: int) -> list[int]:
    bounds: list[int] = []
    monkeypatch.setattr(arms.secrets, "randbelow", lambda bound: bounds.append(bound) or drawn)
    return bounds


@pytest.mark.parametrize("dealt", [(1, "1", FIRST, SECOND), (2, "2", SECOND, FIRST)])
@pytest.mark.parametrize("path", ["", "own-coin/", "server/"])
def test_an_arm_is_drawn_when_the_questions_are_first_shown_and_kept_by_a_cookie_that_names_it(
    client: Client,
    survey: Survey,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    dealt: tuple[int, str, str, str],
) -> None:
    drawn, number, asked, other = dealt
    bounds = _deal(monkeypatch, drawn)
    for _visit in range(2):
        page = client.get(f"/s/{survey.code}/{path}")
        assert page.status_code == 203
        html = page.content.decode()
        assert asked in html
        assert BOTH in html
        assert other not in html
        assert f'name="arm" value="{number}.' in html
    assert bounds == [3]
    cookie = client.cookies["deniable_arm"]
    assert cookie.value == number
    assert cookie["path"] == f"/s/{survey.code}/"
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_whoever_has_answered_keeps_no_arm(client: Client, survey: Survey) -> None:
    client.cookies["deniable_arm"] = "2"
    answer = client.post(f"/s/{survey.code}/", device("11", **in_arm(survey, 2)), headers=BY_SCRIPT)
    assert answer.status_code == 200
    assert (answer.cookies["deniable_arm"].value, answer.cookies["deniable_arm"]["max-age"]) == ("", 0)


@pytest.mark.parametrize("kept", ["0", "3", "", "1 ", "²"])
def test_a_cookie_that_names_no_arm_is_replaced(
    client: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    _deal(monkeypatch, 2)
    client.cookies["deniable_arm"] = kept
    assert SECOND in client.get(f"/s/{survey.code}/").content.decode()
    assert client.cookies["deniable_arm"].value == "2"


def test_a_survey_without_arms_sets_no_such_cookie_and_takes_no_such_field(client: Client) -> None:
    survey = make_open(yes_no())
    html = client.get(f"/s/{survey.code}/").content.decode()
    assert 'name="arm"' not in html
    assert "deniable_arm" not in client.cookies
    refused = client.post(f"/s/{survey.code}/", device("1", arm="1"), headers=BY_SCRIPT)
    assert refused.status_code == 400
    assert stored() == []


def test_reports_are_stored_with_their_arm_in_every_mode(survey: Survey) -> None:
    address, by_device, by_coin = f"/s/{survey.code}/", Client(), Client()
    assert by_device.post(address, device("12", **in_arm(survey, 1)), headers=BY_SCRIPT).status_code == 200
    tapped = {"mode": "own_coin", "item-1": "0", "item-2": "1", **in_arm(survey, 2, NONCE[:-1] + "0")}
    assert by_coin.post(address, tapped).status_code == 303
    true = {"mode": "server", "answer-1": "-", "answer-2": "1", **in_arm(survey, 1, NONCE[:-1] + "1")}
    assert Client().post(f"{address}server/", true).status_code == 303
    by_mode = dict(stored())
    assert (by_mode["device"], by_mode["own_coin"]) == ("1-20", "-011")
    assert re.fullmatch("--[012]0", by_mode["server"])
    # The receipt is in the words of the arm's own questions, in this browser's arm and no other.
    receipt = by_coin.get(f"{address}receipt/").content.decode()
    assert SECOND in receipt
    assert FIRST not in receipt


@pytest.mark.parametrize(
    ("reports", "arm"),
    [("-1", 2), ("1", 1), ("120", 1)],
)
def test_what_no_page_of_an_arm_sends_is_refused(client: Client, survey: Survey, reports: str, arm: int) -> None:
    refused = client.post(f"/s/{survey.code}/", device(reports, **in_arm(survey, arm)), headers=BY_SCRIPT)
    assert refused.status_code == 400
    assert "sets of questions" not in refused.json()["error"]
    assert stored() == []


def test_the_arm_that_is_sent_counts_whatever_a_cookie_says_meanwhile(client: Client, survey: Survey) -> None:
    client.cookies["deniable_arm"] = "2"
    client.post(f"/s/{survey.code}/", device("12", **in_arm(survey, 1)), headers=BY_SCRIPT)
    assert stored() == [("device", "1-20")]


def test_what_was_sent_again_is_known_and_another_answer_is_not_taken(client: Client, survey: Survey) -> None:
    address = f"/s/{survey.code}/"
    for _time in range(2):
        assert client.post(address, device("12", **in_arm(survey, 1)), headers=BY_SCRIPT).status_code == 200
    assert client.post(address, device("02", **in_arm(survey, 1)), headers=BY_SCRIPT).status_code == 409
    assert Client().post(address, device("12", **in_arm(survey, 2)), headers=BY_SCRIPT).status_code == 409
    assert stored() == [("device", "1-20")]


def test_an_incomplete_form_comes_back_in_its_arm(client: Client, survey: Survey) -> None:
    tapped = {"mode": "own_coin", "item-1": "1", **in_arm(survey, 2)}
    page: HttpResponse = client.post(f"/s/{survey.code}/", tapped)
    html = page.content.decode()
    assert page.status_code == 400
    assert SECOND in html
    assert FIRST not in html
    assert 'name="arm" value="2.' in html


def _answered(survey: Survey, respondents: int = 300) -> Survey:
    shares = [HALF, HALF, [Fraction(1, 3)] * 3]
    list(simulate(survey=survey, respondents=respondents, shares=shares))
    return close_survey(survey=survey)


def test_simulated_people_are_dealt_by_the_weights_and_figures_count_those_who_were_asked(survey: Survey) -> None:
    closed = _answered(survey)
    definition = definition_of(closed)
    snapshot = snapshot_of(closed, definition)
    dealt = Counter[str]()
    for _mode, reports in stored():
        assert definition.misfit(reports) == ""
        dealt[reports[-1]] += 1
    # Binomial of 300 and 2/3: 80 standard deviations are 8.2 each; beyond 5.1 of them less than once in a million.
    assert abs(dealt["0"] - 200) < 42
    results = results_of(definition, snapshot, FigureOptions())
    assert [(each.n, each.missing) for each in results.questions] == [(dealt["0"], 0), (dealt["1"], 0), (300, 0)]
    skipped = closed.pattern_counts.filter(reports__startswith="--").exists()
    assert not skipped


def test_who_skips_in_an_arm_is_told_from_who_was_not_asked() -> None:
    survey = make_open(yes_no(FIRST, arms=[1]), yes_no(SECOND, arms=[2]), arms=TWO)
    for number, (reports, arm) in enumerate([("1", "1")] * 12 + [("-", "1")] * 3 + [("0", "2")] * 11):
        answer = device(reports, **in_arm(survey, arm, f"{number:022}"))
        assert Client().post(f"/s/{survey.code}/", answer, headers=BY_SCRIPT).status_code == 200
    closed = close_survey(survey=survey)
    definition = definition_of(closed)
    results = [
        question_result(question, snapshot_of(closed, definition), FigureOptions()) for question in definition.questions
    ]
    assert [(each.n, each.missing) for each in results] == [(12, 3), (11, 0)]


def test_files_have_the_arm_in_a_column_of_its_own(survey: Survey) -> None:
    closed = _answered(survey)
    stored = definition_of(closed)
    definition, snapshot = recode(stored, snapshot_of(closed, stored))
    rows = rows_of(snapshot, definition)
    head, *lines = b"".join(with_codes(definition, rows, group_names_of(closed)).chunks()).decode().splitlines()
    assert head == "q1,q2,q3,arm,group,mode"
    assert len(lines) == 300
    assert all(re.fullmatch(r"[01],,[012],0,,\(withheld\)|,[01],[012],1,,\(withheld\)", line) for line in lines)
    json = b"".join(with_everything(definition, rows, group_names_of(closed), options={}).chunks()).decode()
    assert re.search(r'\{"reports":\[[01],null,[012]\],"arm":0,"group":null,"mode":"\(withheld\)","count":\d+\}', json)


def test_an_arm_of_too_few_is_not_told_in_files() -> None:
    survey = make_open(yes_no(BOTH), yes_no(FIRST, arms=[1]), yes_no(SECOND, arms=[2]), arms=TWO)
    for number in range(34):
        arm = "2" if number < 4 else "1"
        answer = device("11", **in_arm(survey, arm, f"{number:022}"))
        assert Client().post(f"/s/{survey.code}/", answer, headers=BY_SCRIPT).status_code == 200
    closed = close_survey(survey=survey)
    stored = definition_of(closed)
    definition, snapshot = recode(stored, snapshot_of(closed, stored))
    rows = rows_of(snapshot, definition)
    lines = b"".join(with_codes(definition, rows, group_names_of(closed)).chunks()).decode().splitlines()[1:]
    # Nor is what only they were asked.
    assert {tuple(line.split(",")[2:4]) for line in lines} == {("", "")}


def test_cells_count_arms_like_items(survey: Survey) -> None:
    closed = _answered(survey)
    definition = definition_of(closed)
    write_anew(closed, definition, Steps(closed), always=True)
    arm = len(definition.items)
    codes, counts, _groups = cells_of(closed, folded=300).on(arm, arm)
    assert set(codes[:, 0].tolist()) == {0, 1}
    assert counts.sum() == 300
