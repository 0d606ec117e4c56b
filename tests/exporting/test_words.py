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
    "credit": lambda: make_draft(yes_no(), credit=True),
    "credit with consent": lambda: make_draft(yes_no(), credit=True, consent="May we ask you?"),
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
        (
            "From a single report, nobody can be sure of a true answer. How much one report can change anyone’s "
            "odds about that answer is stated below.",
            ["bits"],
            ["arms", "proving", "one unprotected"],
        ),
        (
            "From one report on a protected question, nobody can be sure of the true answer.",
            ["one unprotected", "everything", "arms"],
            ["bits", "proving"],
        ),
        ("But some reports prove something about one person’s answer", ["proving"], ["bits"]),
        (
            "Answers to protected questions are randomized with known probabilities before anything is stored "
            "(randomized response). Other answers are sent and stored as they are.",
            ["arms"],
            ["bits"],
        ),
        ("In at least one arm, nothing is protected.", ["arms"], ["bits", "one unprotected", "branches"]),
        (
            "Where a fact is used to randomize answers, a report can reveal the true answer to people who know that "
            "fact.",
            ["everything", "branches"],
            ["bits"],
        ),
        ("; two responses from one person: at most 9‑fold (ε ≤ 2.20)", ["bits"], ["proving", "everything"]),
        (
            "; two responses from one person can come from two arms, one of them unprotected",
            ["arms"],
            ["bits", "branches"],
        ),
        (
            "no limit (ε = ∞), because some reports prove something about an answer",
            ["proving", "proving alone"],
            ["bits"],
        ),
        ("; all other reports together: at most 9‑fold (ε ≤ 2.20)", ["proving"], ["proving alone"]),
        (
            "suppose somebody thinks the probability of Yes is 50 of 100. A report that changes odds at most 3-fold "
            "can raise this probability to 75 of 100 at most. It can raise a probability of 10 of 100 to 25 at most.",
            ["bits"],
            [],
        ),
        ("This covers only protected answers.", ["arms", "branches"], ["bits"]),
        ("No limit, because every answer is sent as it is.", ["arms"], ["branches"]),
        (
            "Questions 2 and 3 ask the same thing in different ways, so that their results can be compared.",
            ["branches"],
            ["bits"],
        ),
        ("Questions are numbered here as respondents in each arm see them.", ["arms"], ["bits"]),
        (
            "Suppose the true share is 20 of 100 and 300 people answer the survey. The error in 95 of 100 such "
            "surveys is then at most the margin of error below, in percentage points.",
            ["branches"],
            [],
        ),
        (
            "Some questions are asked only after certain answers to an earlier question. All answers to the earlier "
            "question are assumed to be equally common.",
            ["branches"],
            ["arms"],
        ),
        (
            "For a number, the mean is assumed to lie in the middle of the range. The margin of error is in the "
            "number’s own unit.",
            ["branches"],
            ["arms"],
        ),
        (
            "Anyone who knows enough of these details about somebody can find that person’s row.",
            ["arms", "one unprotected"],
            ["bits"],
        ),
        ("The person’s arm is visible too.", ["arms"], ["one unprotected", "everything"]),
        ("The person’s group is visible too.", ["everything"], ["one unprotected", "arms"]),
        (
            "In the database of this server, in its backups, and in files exported from it.",
            ["bits"],
            [],
        ),
        (
            "Sealing and purging do not affect files already exported. The people who hold these files are responsible "
            "for them.",
            ["bits"],
            [],
        ),
        ("At present only the survey owner, who can allow others to read results and export files.", ["bits"], []),
        (
            "The arm, and reports on questions asked in only some arms, are withheld unless each arm has at least "
            "10 responses. The mode is not exported for surveys with arms.",
            ["arms", "files: arms"],
            ["bits", "one unprotected", "files: closed"],
        ),
        ("The mode is not exported for surveys with unprotected questions.", ["one unprotected"], ["bits"]),
        (
            "Anyone with a single-use invitation. Which invitation was used is not stored with the answers.",
            ["everything"],
            ["bits"],
        ),
        (
            "Offered to people without JavaScript and without coins, who must trust this server during the request.",
            ["everything"],
            ["bits"],
        ),
        (
            "Real coins protect you from such a server, because you don’t have to trust any page.",
            ["bits"],
            ["everything"],
        ),
        (
            "Nobody can match a receipt with a response, even with the database, backups and logs of this server and "
            "of the course system. The course learns who asks for credit.",
            ["credit", "credit with consent"],
            ["bits"],
        ),
        (
            "People who decline can get the same receipt. Of each such decline, a hash is stored until the survey is "
            "sealed.",
            ["credit with consent"],
            ["bits", "credit"],
        ),
        ("The first part is exactly what respondents read.", ["bits"], ["bits in Hebrew"]),
        (
            "Texts on randomization are shown as respondents read them, so “you” means a respondent.",
            ["bits"],
            ["bits in Hebrew"],
        ),
        ("9 people have been counted so far. An export needs at least 10.", ["files: too few"], ["files: closed"]),
        (
            "Responses can be exported once the survey is closed. Comparing two exports from an open survey could "
            "single out individuals.",
            ["files: still open"],
            ["files: closed"],
        ),
        ("30 randomized responses.", ["files: closed"], ["files: still open"]),
        (
            "Each number was rounded at random, up or down, to one of the two nearest values. The table has a "
            "column for each value.",
            ["codebook: a window"],
            ["codebook: an unrelated number", "codebook: bits"],
        ),
    ],
)
def test_a_page_says_it_where_it_is_so_and_nowhere_else(sentence: str, pages: list[str], others: list[str]) -> None:
    assert [page for page in pages + others if sentence in _page(page)] == pages
