"""Terms that are explained where they stand, with the numbers of the survey at hand."""

import re
from fractions import Fraction
from html import unescape

import pytest
from django.template import Context, Template
from django.utils import translation

from surveys.common.selectors import definition_of, draft_of
from surveys.editor.figures import dial_of
from surveys.glossary.words import TERMS, facts_of
from surveys.questionnaire import designs
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.question import Question
from tests.factories import (
    crosswise,
    every_kind,
    make_draft,
    number_mean,
    one_by_option,
    one_of,
    rewrite,
    triangular,
    unrelated,
    yes_no,
)


def asked(draft: Question) -> AskedQuestion:
    return dial_of(draft, class_size=30).question


def text_of_term(term: str, about: AskedQuestion | Definition | None, n: int | None = None, share: str = "3/10") -> str:
    facts = facts_of(about, n=n, share=Fraction(share)) if about else None
    return TERMS[term][1](facts)


def _here(term: str, about: AskedQuestion | Definition, n: int | None = None) -> str:
    """Return what a term says of this survey, after what it says in general."""
    text, general = text_of_term(term, about, n), text_of_term(term, None)
    assert text.startswith(general)
    return text.removeprefix(general)


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", text)


def _page(source: str, **context: object) -> str:
    return " ".join(Template("{% load glossary.words %}" + source).render(Context(context)).split())


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("draft", every_kind(), ids=lambda draft: f"{draft.kind} {draft.design} {draft.leave_out}")
def test_every_term_has_a_paragraph_about_every_kind(term: str, draft: Question) -> None:
    for n in (None, 30):
        text = text_of_term(term, asked(draft), n)
        assert len(text) > 60
        # Whatever was put in was found: no placeholder, no number that is none.
        assert not re.search(r"%\(|\bnan\b|\binf\b|None|Fraction", text)


@pytest.mark.parametrize("term", TERMS)
def test_without_a_survey_a_term_is_explained_in_general(term: str) -> None:
    text = text_of_term(term, None)
    assert text
    assert "Here" not in text


_BITS, _FACT, _HOURS = yes_no(), crosswise(), number_mean()


@pytest.mark.parametrize(
    ("term", "draft", "n", "numbers"),
    [
        # Even odds become at most 75 of 100; of an infinite ε there is no number.
        ("epsilon", _BITS, None, ["1.10", "3", "50", "100", "75", "100"]),
        ("epsilon", triangular(), None, []),
        ("odds", _BITS, None, ["75", "100", "25", "100"]),
        ("odds", _FACT, None, ["25", "100", "75", "100"]),
        ("odds", one_of(), None, ["66.7", "100", "16.7", "100"]),
        ("odds", one_by_option(), None, ["66.7", "100", "16.7", "100"]),
        # Lengths are in points or in units, and for as many as answer.
        ("interval", _BITS, 30, ["30", "35", "30"]),
        ("interval", _BITS, 1, ["1", "100", "30"]),
        ("interval", _BITS, None, []),
        ("interval", _HOURS, 30, ["30", "4.3"]),
        ("half_width", _BITS, 100, ["100", "19", "30"]),
        ("standard_error", _BITS, 30, ["30", "18"]),
        # The share of the reports runs between its ends.
        ("raw_share", _BITS, None, ["25", "100", "75", "100"]),
        ("misfit", _BITS, None, ["25", "75", "100"]),
        # Asked crosswise with a birthday of one in four, Yes makes “the same” rarer.
        ("raw_share", _FACT, None, ["75", "100", "25", "100"]),
        ("misfit", _FACT, None, ["25", "75", "100"]),
        ("power", _BITS, 30, ["30", "30", "42"]),
        ("power", _HOURS, 30, []),
    ],
)
def test_the_numbers_are_those_of_the_question(term: str, draft: Question, n: int | None, numbers: list[str]) -> None:
    assert _numbers(_here(term, asked(draft), n)) == numbers


def test_the_answer_in_whose_odds_the_numbers_are_is_named() -> None:
    for draft, answer in ((_BITS, "Yes"), (_FACT, "“The same answer”"), (one_of(), "“Never”")):
        assert answer in text_of_term("odds", asked(draft))
    assert "“The same answer”" in text_of_term("misfit", asked(_FACT))


def test_the_confidence_level_is_the_one_at_hand() -> None:
    facts = facts_of(asked(yes_no()), n=30, confidence_level=0.9)
    # 35.1 · 1.645 / 1.960.
    assert _numbers(TERMS["interval"][1](facts)) == ["90", "30", "29", "30"]


@pytest.mark.django_db
class TestOfASurvey:
    """Terms about several questions at once."""

    def test_the_total_is_a_sum(self) -> None:
        definition = definition_of(make_draft(yes_no(), yes_no("B?")))
        assert _numbers(_here("total_epsilon", definition)) == ["1.10", "1.10", "2.20"]
        assert _numbers(_here("epsilon", definition)) == ["2.20", "9", "50", "100", "90", "100"]

    def test_the_least_protected_question_stands_for_all(self) -> None:
        weak = yes_no("B?", parameters={"truth": [4, 5], "yes": [1, 2]})
        definition = definition_of(make_draft(unrelated(), weak, crosswise()))
        text = _here("design", definition)
        assert _numbers(text)[:2] == ["3", "1"]
        assert f"“{designs.named('unrelated_question').label}”" in text

    def test_numbers_of_one_question_say_of_which(self) -> None:
        weak = yes_no("B?", parameters={"truth": [4, 5], "yes": [1, 2]})
        definition = definition_of(make_draft(yes_no(), weak))
        for term in ("raw_share", "misfit", "odds"):
            assert "question 2" in text_of_term(term, definition)

    def test_the_fewest_answers_are_its_own(self) -> None:
        definition = definition_of(make_draft(minimum_n=25))
        assert _numbers(_here("minimum_n", definition)) == ["25"]

    def test_a_survey_without_questions_is_explained_in_general(self) -> None:
        survey = make_draft()
        rewrite(survey, 0, questions=())
        assert facts_of(draft_of(survey)) is None


def test_a_term_is_a_button_that_opens_its_paragraph_without_a_script() -> None:
    page = _page("{% explain 'epsilon' question shown='ε = 1.10' place='questions-3' %}", question=asked(yes_no()))
    assert re.findall(r'popovertarget="(about-epsilon-questions-3)">ε = 1.10</button>', page)
    assert 'id="about-epsilon-questions-3" popover role="note"' in page
    assert 'popovertargetaction="hide">Close explanation</button>' in page


def test_anchors_differ_on_a_page() -> None:
    page = _page("{% explain 'seal' %}{% explain 'seal' %}{% explain 'budget' %}")
    anchors = re.findall(r' id="([^"]+)"', page)
    assert len(anchors) == len(set(anchors)) == 3


def test_whatever_a_page_has_not_got_is_no_error() -> None:
    general = TERMS["standard_error"][1](None)
    assert general in unescape(_page("{% explain 'standard_error' missing n=missing_too %}"))


def test_names_of_answers_are_escaped() -> None:
    often = asked(one_of(options=("Never", "<b>Often</b>")))
    page = _page("{% explain 'odds' question %}", question=often)
    assert "<b>" not in page
    assert "&lt;b&gt;Often&lt;/b&gt;" in page


def test_numbers_are_written_as_in_the_language() -> None:
    with translation.override("de"):
        assert "1,10" in text_of_term("epsilon", asked(yes_no()))
