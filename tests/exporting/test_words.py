"""What the ethics packet and the pages of exports promise or warn of, word for word, each of it once."""

from collections.abc import Callable
from functools import cache

import pytest

from surveys.course.services import close_survey
from surveys.models import Group, Survey
from tests.answering.test_plain_arm import TWO, questions
from tests.factories import (
    crosswise,
    fill,
    make_draft,
    make_open,
    number_mean,
    number_window,
    plain,
    triangular,
    unrelated_number,
    yes_no,
)
from tests.pages import page_of, said_on

pytestmark = pytest.mark.django_db


def _with_arms() -> Survey:
    more = plain(("Law", "Arts"), "What do you study?"), plain(("Yes", "No"), "Do you live at home?")
    return make_open(*questions(), *more, arms=TWO, expected_n=300)


def _with_branches() -> Survey:
    return make_draft(
        plain(leave_out="no"),
        yes_no("Did you cheat?", arms=[1], quantity=1, leave_out="no"),
        crosswise("Did you cheat?", arms=[2], quantity=1, leave_out="no"),
        yes_no("Did you pay for it?", asked_if={"question": 1, "answers": [1, 2]}),
        number_mean(),
        arms=TWO,
        expected_n=300,
        expected_share=20,
    )


def _with_everything() -> Survey:
    survey = make_open(plain(), crosswise(leave_out="no"), by_invitation=True, server_mode_allowed=True)
    Group.objects.create(survey=survey, slug="north", name="North")
    return survey


def _answered(reports: dict[str, int], *, close: bool = True) -> Survey:
    survey = make_open(yes_no())
    fill(survey, reports)
    return close_survey(survey=survey) if close else survey


SURVEYS: dict[str, Callable[[], Survey]] = {
    "bits": lambda: make_draft(yes_no()),
    "bits in Hebrew": lambda: make_draft(yes_no(), language="he"),
    "proving": lambda: make_draft(yes_no(), triangular(), yes_no("Another?")),
    "proving alone": lambda: make_draft(triangular()),
    "one unprotected": lambda: make_draft(yes_no(leave_out="no"), plain(leave_out="no")),
    "arms": _with_arms,
    "branches": _with_branches,
    "everything": _with_everything,
    "too few": lambda: _answered({"1": 9}),
    "still open": lambda: _answered({"1": 30}, close=False),
    "closed": lambda: _answered({"1": 30}),
    "a window": lambda: make_open(number_window()),
    "an unrelated number": lambda: make_open(unrelated_number()),
}


VIEWS = {"packet": "survey-ethics", "files": "survey-export", "codebook": "survey-export-codebook"}


@cache
def _page(name: str) -> str:
    """Return a page by its view and survey; of the packet, which most of it is about, by the survey alone."""
    view, _, survey = name.rpartition(": ")
    return said_on(page_of(VIEWS[view or "packet"], SURVEYS[survey]()))


@pytest.mark.parametrize(
    ("sentence", "pages", "others"),
    [
        ("From one of them nobody can be sure of a true answer", ["bits"], ["arms", "proving", "one unprotected"]),
        (
            "From one report to a protected question nobody can be sure of the true answer",
            ["one unprotected", "everything", "arms"],
            ["bits", "proving"],
        ),
        ("But some reports prove something about one person’s answer", ["proving"], ["bits"]),
        ("with known probabilities; the others are sent and stored as they are.", ["arms"], ["bits"]),
        ("In at least one arm, nothing is protected.", ["arms"], ["bits", "one unprotected", "branches"]),
        (
            "Where a fact is used to randomize answers, a report can reveal the true answer to people who know that fact.",
            ["everything", "branches"],
            ["bits"],
        ),
        ("; two responses of one person: at most 9‑fold (ε ≤ 2.20)", ["bits"], ["proving", "everything"]),
        (
            "; two responses from one person can be in two arms, one of them unprotected",
            ["arms"],
            ["bits", "branches"],
        ),
        ("without limit (ε = ∞): some reports prove something", ["proving", "proving alone"], ["bits"]),
        ("; all other reports together: at most 9‑fold (ε ≤ 2.20)", ["proving"], ["proving alone"]),
        ("holds it for 75 of 100 at most after a report that changes odds 3-fold", ["bits"], []),
        ("This covers only protected answers.", ["arms", "branches"], ["bits"]),
        ("Without limit: every answer is sent as it is.", ["arms"], ["branches"]),
        ("Questions 2 and 3 ask for the same in different ways", ["branches"], ["bits"]),
        ("Questions are numbered here as respondents in this arm see them.", ["arms"], ["bits"]),
        (
            "If the true share is 20 of 100 and 300 people answer the survey, 95 of 100 such surveys are off by no",
            ["branches"],
            [],
        ),
        ("all answers to the question that decides count as equally common", ["branches"], ["arms"]),
        ("The mean of a number is taken to lie in the middle", ["branches"], ["arms"]),
        (
            "Anyone who knows enough of these about somebody can find that person’s row.",
            ["arms", "one unprotected"],
            ["bits"],
        ),
        ("The arm is there too.", ["arms"], ["one unprotected", "everything"]),
        ("The group is there too.", ["everything"], ["one unprotected", "arms"]),
        ("in its backups, and in the files that were exported from it.", ["bits"], []),
        ("Neither sealing nor purging reaches a file that was taken away", ["bits"], []),
        ("At present the author alone, who can allow others to read results", ["bits"], []),
        (
            "are withheld unless each arm has 10 responses. With arms, no mode is given.",
            ["arms", "files: arms"],
            ["bits", "one unprotected", "files: closed"],
        ),
        ("With them, the mode is not exported.", ["one unprotected"], ["bits"]),
        ("Whoever holds a single-use invitation. Which one was used is not stored", ["everything"], ["bits"]),
        ("Offered to people without JavaScript and without coins: they trust this server", ["everything"], ["bits"]),
        ("Real coins are the answer to that", ["bits"], ["everything"]),
        ("The first part is what respondents read, word for word.", ["bits"], ["bits in Hebrew"]),
        ("Texts on randomization are what respondents read: “you” means a respondent.", ["bits"], ["bits in Hebrew"]),
        ("9 people are counted so far. An export needs at least 10.", ["files: too few"], ["files: closed"]),
        (
            "Comparing two files of an open survey could single people out.",
            ["files: still open"],
            ["files: closed"],
        ),
        ("30 responses, randomized.", ["files: closed"], ["files: still open"]),
        (
            "Each number was rounded at random to one of the two nearest values, for which the table has columns.",
            ["codebook: a window"],
            ["codebook: an unrelated number", "codebook: bits"],
        ),
    ],
)
def test_a_page_says_it_where_it_is_so_and_nowhere_else(sentence: str, pages: list[str], others: list[str]) -> None:
    assert [page for page in pages + others if sentence in _page(page)] == pages
