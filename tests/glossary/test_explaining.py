"""Terms that are explained where they stand, with the numbers of the survey at hand."""

import re
from dataclasses import asdict
from fractions import Fraction

import pytest
from django.template import Context, Template
from django.utils import translation

from surveys.common.selectors import definition_of, draft_of
from surveys.drafts.services.surveys import QuestionDraft
from surveys.editor.figures import dial_of
from surveys.glossary.words import TERMS, facts_of
from surveys.models import Question
from surveys.models.asked_question import AskedQuestion
from surveys.models.definition import Definition
from tests.factories import (
    crosswise,
    every_kind,
    make_draft,
    number_mean,
    one_by_option,
    one_of,
    triangular,
    unrelated,
    yes_no,
)


def _asked(draft: QuestionDraft) -> AskedQuestion:
    return dial_of(Question(**asdict(draft)), class_size=30).question


def _text(term: str, about: AskedQuestion | Definition | None, n: int | None = None, share: str = "3/10") -> str:
    facts = facts_of(about, n=n, share=Fraction(share)) if about else None
    return TERMS[term][1](facts)


def _page(source: str, **context: object) -> str:
    return " ".join(Template("{% load glossary.words %}" + source).render(Context(context)).split())


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("draft", every_kind(), ids=lambda draft: f"{draft.kind} {draft.design} {draft.leave_out}")
def test_every_term_has_a_paragraph_about_every_kind(term: str, draft: QuestionDraft) -> None:
    for n in (None, 30):
        text = _text(term, _asked(draft), n)
        assert len(text) > 60
        # Whatever was put in was found: no placeholder, no number that is none.
        assert not re.search(r"%\(|\bnan\b|\binf\b|None|Fraction", text)


@pytest.mark.parametrize("term", TERMS)
def test_without_a_survey_a_term_is_explained_in_general(term: str) -> None:
    text = _text(term, None)
    assert text
    assert "Here " not in text


def test_epsilon_is_told_as_what_becomes_of_even_odds() -> None:
    text = _text("epsilon", _asked(yes_no()))
    assert "Here it is 1.10: whatever somebody believed before" in text
    assert "at most 3 times as large. Even odds, 50 of 100, become at most 75 of 100." in text


def test_an_infinite_epsilon_has_no_number() -> None:
    text = _text("epsilon", _asked(triangular()))
    assert "Here it is infinite: a report can prove an answer" in text
    assert "times as large" not in text


def test_odds_are_those_of_the_matrix_in_each_design_s_own_words() -> None:
    assert "Here, of 100 phones for which Yes is the truth 75 send it, of 100 others 25" in _text(
        "odds", _asked(yes_no())
    )
    assert "Here, of 100 people whose true answer is Yes 25 tap “The same answer”, of 100 others 75" in _text(
        "odds", _asked(crosswise())
    )
    assert "Here, of 100 phones for which “Never” is the truth" in _text("odds", _asked(one_of()))
    by_option = _text("odds", _asked(one_by_option()))
    assert "Here, of 100 phones 66.7 send Yes for their owner’s option, 16.7 for each other one" in by_option
    assert "all that the report on one option tells" in by_option


def test_lengths_are_in_points_or_in_units_and_for_as_many_as_answer() -> None:
    assert "With 30 answers it reaches about 35 points to either side, if 30% is true." in _text(
        "interval", _asked(yes_no()), 30
    )
    assert "With 100 answers it reaches about 19 points" in _text("half_width", _asked(yes_no()), 100)
    assert "it reaches about 4.3 hours to either side, if the true mean is in the middle." in _text(
        "interval", _asked(number_mean()), 30
    )
    assert "With 30 answers expect about 18 points." in _text("standard_error", _asked(yes_no()), 30)
    assert "With 1 answer it reaches" in _text("interval", _asked(yes_no()), 1)
    assert "reaches" not in _text("interval", _asked(yes_no())).split("allowed for.")[1]


def test_the_share_of_the_reports_runs_between_its_ends() -> None:
    asked = _asked(yes_no())
    assert "about 25 of 100 if nobody’s true answer were Yes, and about 75 of 100 if everybody’s were" in _text(
        "raw_share", asked
    )
    assert "about 25 to 75 of 100 reports must be Yes" in _text("misfit", asked)
    # Asked crosswise with a birthday of one in four, Yes makes “the same” rarer.
    assert "about 75 of 100 if nobody’s true answer were Yes, and about 25 of 100" in _text(
        "raw_share", _asked(crosswise())
    )
    assert "about 25 to 75 of 100 reports must be “The same answer”" in _text("misfit", _asked(crosswise()))


def test_the_confidence_level_is_the_one_at_hand() -> None:
    facts = facts_of(_asked(yes_no()), n=30, confidence_level=0.9)
    text = TERMS["interval"][1](facts)
    assert "about 90% of all surveys like this one" in text
    # 35.1 · 1.645 / 1.960.
    assert "about 29 points to either side" in text


def test_power_is_that_of_the_number_at_hand() -> None:
    assert "If 30% is true, 30 answers show that it is more than none with 42%." in _text("power", _asked(yes_no()), 30)
    assert "is true" not in _text("power", _asked(number_mean()), 30)


@pytest.mark.django_db
class TestOfASurvey:
    """What is told of several questions at once."""

    def test_the_total_is_told_as_a_sum(self) -> None:
        definition = definition_of(make_draft(yes_no(), yes_no("B?")))
        assert "1.10 + 1.10 makes 2.20." in _text("total_epsilon", definition)
        assert "at most 9 times as large. Even odds, 50 of 100, become at most 90 of 100." in _text(
            "epsilon", definition
        )

    def test_the_least_protected_question_stands_for_all(self) -> None:
        weak = yes_no("B?", parameters={"truth": [4, 5], "yes": [1, 2]})
        definition = definition_of(make_draft(unrelated(), weak, crosswise()))
        assert "This survey has 3 designs. In question 1 it is “An unrelated question instead”." in _text(
            "design", definition
        )

    def test_numbers_of_one_question_say_of_which(self) -> None:
        weak = yes_no("B?", parameters={"truth": [4, 5], "yes": [1, 2]})
        definition = definition_of(make_draft(yes_no(), weak))
        for term in ("raw_share", "misfit", "odds"):
            assert "In question 2" in _text(term, definition)

    def test_the_fewest_answers_are_its_own(self) -> None:
        definition = definition_of(make_draft(minimum_n=25))
        assert "Here they appear from 25 answers on" in _text("minimum_n", definition)

    def test_a_survey_without_questions_is_explained_in_general(self) -> None:
        survey = make_draft()
        survey.questions.all().delete()
        assert facts_of(draft_of(survey)) is None


def test_a_term_is_a_button_that_opens_its_paragraph_without_a_script() -> None:
    page = _page("{% explain 'epsilon' question shown='ε = 1.10' place='questions-3' %}", question=_asked(yes_no()))
    assert '<button class="term" type="button" popovertarget="about-epsilon-questions-3">ε = 1.10</button>' in page
    assert 'id="about-epsilon-questions-3" popover role="note"' in page
    assert 'popovertargetaction="hide">Close</button>' in page


def test_anchors_are_told_apart_on_a_page() -> None:
    page = _page("{% explain 'seal' %}{% explain 'seal' %}{% explain 'budget' %}")
    anchors = re.findall(r' id="([^"]+)"', page)
    assert len(anchors) == len(set(anchors)) == 3


def test_whatever_a_page_has_not_got_is_no_error() -> None:
    assert "How far an estimate typically is" in _page("{% explain 'standard_error' missing n=missing_too %}")


def test_names_of_answers_are_escaped() -> None:
    asked = _asked(one_of(options=("Never", "<b>Often</b>")))
    page = _page("{% explain 'odds' question %}", question=asked)
    assert "<b>" not in page
    assert "&lt;b&gt;Often&lt;/b&gt;" in page


def test_numbers_are_written_as_in_the_language() -> None:
    with translation.override("de"):
        assert "1,10" in _text("epsilon", _asked(yes_no()))
