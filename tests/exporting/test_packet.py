"""The ethics packet, read whole: what a board has to know is there, once, and what does not apply is not."""

import re
from fractions import Fraction

import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.figures import expected_of
from surveys.models import Membership, Role, Survey
from surveys.numbers.words import points
from tests.factories import crosswise, fill, make_draft, make_open, make_user, number_mean, plain, triangular, yes_no
from tests.pages import owner_of, page_of, tables_of, words_of

pytestmark = pytest.mark.django_db
TWO = [{"name": "Coins", "weight": 2}, {"name": "Birthdays", "weight": 1}]


@pytest.fixture
def survey() -> Survey:
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


def _packet(survey: Survey) -> str:
    return words_of(page_of("survey-ethics", survey))


def test_how_precise_each_question_will_be_is_what_planning_says(survey: Survey) -> None:
    (rows,) = [rows for caption, rows in tables_of(page_of("survey-ethics", survey)) if "Asked of" in rows[0]]
    questions = definition_of(survey).questions
    asked = [300, 200, 100, 200, 300]
    for question, n, row in zip(questions, asked, rows[1:], strict=True):
        expected = expected_of(question, n=n, share=Fraction(1, 5))
        assert row[:2] == [f"{question.number}. {question.text}", str(n)]
        if not question.first.range:
            assert row[2] == f"±{points(expected.half_width)}"
    words = _packet(survey)
    assert "If the true share is 20 of 100 and 300 people answer the survey, 95 of 100" in words
    assert "all answers to the question that decides count as equally common" in words
    assert "The mean of a number is taken to lie in the middle" in words


def test_odds_are_explained_and_what_asks_for_the_same_is_named(survey: Survey) -> None:
    words = _packet(survey)
    assert "How far all reports of one response can change odds In the arm that costs most: at most 27‑fold" in words
    assert "50 of 100, holds it for 75 of 100 at most" in words
    assert "Questions 2 and 3 ask for the same in different ways" in words
    assert "Dealt to 2 of 3 respondents" in words
    # 3-fold odds: 1 to 1 are 3 to 1, and 1 to 9 are 1 to 3.
    assert [3 * odds / (1 + 3 * odds) for odds in (Fraction(1), Fraction(1, 9))] == [Fraction(3, 4), Fraction(1, 4)]


def test_where_a_report_proves_something_the_others_have_their_bound() -> None:
    told = "without limit (ε = ∞): some reports prove something"
    words = _packet(make_draft(yes_no(), triangular(), yes_no("Another?")))
    assert f"can change odds {told}; all other reports together: at most 9‑fold (ε ≤ 2.20)" in words
    assert "two responses of one person" not in words
    alone = _packet(make_draft(triangular()))
    assert told in alone
    assert "all other reports together" not in alone


def test_each_technique_is_named_and_said_once_with_its_probabilities(survey: Survey) -> None:
    words = _packet(survey)
    assert words.count("Technique: Two coins (forced response). With probability 1/2 the phone sends the truth;") == 3
    assert "Answer this one too: Was your mother born in January, February or March?" in words
    assert words.count("Was your mother born") == 1
    assert "Technique: Two questions, same or different (crosswise). Of people whose true answer" in words
    # The line at the question says the same as the odds.
    assert "if No, 25." not in words


def test_the_headline_is_what_respondents_read_first_and_the_introduction_comes_after_it() -> None:
    words = _packet(make_draft(yes_no(), introduction="Why we ask."))
    first = words[words.index("What respondents read first") :]
    assert first.startswith("What respondents read first Nobody can be sure of your answer Your phone adds chance")
    assert "Then the author’s introduction: Why we ask." in first


def test_what_cannot_be_protected_is_in_sight_and_only_what_this_survey_has() -> None:
    page = page_of("survey-ethics", make_draft(yes_no()))
    assert "<details" not in page[page.index("<main") :]
    words = words_of(page)
    limits = words[words.index("What none of this protects") : words.index("What the author is responsible for")]
    assert "Real coins are the answer to that" in limits
    for absent in ("server flip", "Sent as it is", "innocuous", "invitation", "group of your link"):
        assert absent not in limits
    check = words_of(owner_of(make_draft()).get(reverse("check")).content.decode())
    for there in ("server flip", "Sent as it is", "innocuous", "which invitation", "group of your link"):
        assert there in check


def test_every_limit_is_there_where_the_survey_has_it() -> None:
    survey = make_open(
        plain(), crosswise(leave_out="no"), by_invitation=True, server_mode_allowed=True, title="With everything"
    )
    survey.groups.create(slug="north", name="North")
    words = _packet(survey)
    limits = words[words.index("What none of this protects") : words.index("What the author is responsible for")]
    for there in ("server flip", "Sent as it is", "innocuous", "which invitation", "group of your link"):
        assert there in limits
    # No device adds chance here: nothing can be flipped again, and real coins are no answer.
    for absent in ("Who flips again", "Real coins"):
        assert absent not in limits
    assert "Where a fact stands for chance, a report can give the true answer away" in words
    assert "The group stands there too." in words


def test_a_board_reads_who_can_take_reports_away_and_that_they_are_out_of_reach_then() -> None:
    survey = make_open(yes_no())
    words = _packet(survey)
    assert "in the files that were exported from it" in words
    assert "Neither sealing nor purging reaches a file that was taken away" in words
    assert "At present the author alone" in words
    for role in (Role.ANALYST, Role.EDITOR):
        Membership.objects.create(survey=survey, user=make_user(), role=role)
    assert "at present, 1 other person whom the author allowed to read results" in _packet(survey)


def test_where_the_page_is_not_in_the_surveys_language_nothing_claims_to_be_word_for_word() -> None:
    own = ("word for word", "is what respondents read: “you”")
    for survey, claimed in ((make_draft(), True), (make_draft(language="he"), False)):
        words = _packet(survey)
        assert [text in words for text in own] == [claimed, claimed]


def test_what_plain_answers_make_of_a_row_is_said_of_what_stands_beside_them() -> None:
    alone = _packet(make_draft(yes_no(), plain()))
    assert not re.search(r"The (arm|group|arm and the group) stands? there too\.", alone)
    survey = make_open(yes_no(leave_out="no"), plain(leave_out="no"))
    fill(survey, {"00": 20, "11": 30})
    survey = close_survey(survey=survey)
    assert "With them, no mode is given." in _packet(survey)
