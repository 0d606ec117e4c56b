"""The linter on whole surveys: numbers, what stands around the questions, and what is typed in the editor."""

import math
from fractions import Fraction

import pytest
from django.template.loader import render_to_string
from django.test import override_settings
from django.utils import translation

from surveys.common.selectors import definition_of
from surveys.drafts.services.surveys import QuestionDraft
from surveys.editor.figures import NoDial
from surveys.editor.forms import editor as typed
from surveys.editor.forms.editor import typed_findings
from surveys.linting.findings import Level, LintFinding
from surveys.linting.selectors import RULES, findings_in, findings_of
from surveys.linting.subject import LintedQuestion, LintedSurvey
from surveys.management.classes import CLASSES
from surveys.models import Survey
from surveys.models.kinds import MAX_OPTIONS
from tests.editor.form import question
from tests.factories import crosswise, every_kind, make_draft, number_mean, one_of, triangular, yes_no


@pytest.mark.parametrize(
    ("language", "text", "harm"),
    [
        ("en", "Have you been bullied this term?", True),
        ("en", "Has anybody harassed you at work this year?", True),
        ("de", "Bist du in diesem Schuljahr gemobbt worden?", True),
        ("es", "¿Has sufrido acoso este año?", True),
        ("en", "Did you travel without a ticket this year?", False),
        ("de", "Hast du in diesem Jahr geschwänzt?", False),
        ("es", "¿Has copiado este curso?", False),
    ],
)
def test_questions_about_harm_want_support_and_protection(language: str, text: str, harm: bool) -> None:
    read = LintedQuestion(number=4, text=text, language=language)
    found = {finding.rule: finding for finding in findings_in(LintedSurvey((read,), "Why", "Yes"))}
    assert ("no_support" in found) is harm
    assert ("seen_to_leave_out" in found) is harm
    if harm:
        assert found["no_support"].numbers == (4,)
        assert dict(found["seen_to_leave_out"].sets)["leave_out"] == "protected"
        helped = {finding.rule for finding in findings_in(LintedSurvey((read,), "Why", "Yes", "The counsellor"))}
        assert "no_support" not in helped


@pytest.mark.django_db
class TestASurvey:
    """Rules about numbers, and about what stands around the questions."""

    def _found(self, *questions: QuestionDraft, **fields: object) -> dict[str, LintFinding]:
        fields = {"introduction": "Why we ask.", "consent": "You agree.", "expected_n": 400} | fields
        return {finding.rule: finding for finding in findings_of(make_draft(*questions, **fields))}

    def test_what_is_in_order_has_no_findings(self) -> None:
        assert self._found(yes_no("Did you cheat in an exam this term?")) == {}

    def test_missing_introduction_and_consent_are_hints(self) -> None:
        found = self._found(yes_no(), introduction=" ", consent="")
        assert {found["no_introduction"].level, found["no_consent"].level} == {Level.HINT}

    def test_an_infinite_epsilon_is_a_warning_that_names_the_crosswise_design(self) -> None:
        found = self._found(crosswise(), triangular())
        assert found["infinite_epsilon"].numbers == (2,)
        assert found["infinite_epsilon"].sets == (("design", "crosswise"),)
        assert "total_epsilon" not in found

    def test_a_total_above_the_level_names_what_gives_most_away(self) -> None:
        strong = yes_no(parameters={"truth": [4, 5], "yes": [1, 2]})
        found = self._found(strong, yes_no("B?"), yes_no("C?"))["total_epsilon"]
        # ln 9 + 2 ln 3 = 4 ln 3.
        assert found.what == "The total ε is 4.40: above the level of 4."
        assert "question 1 (2.20)" in found.fix
        assert "total_epsilon" not in self._found(yes_no("A?"), yes_no("B?"), yes_no("C?"))

    @pytest.mark.parametrize("level", [0.5, 5.0])
    def test_the_level_is_a_setting(self, level: float) -> None:
        with override_settings(EPSILON_LEVEL=level):
            assert ("total_epsilon" in self._found(yes_no())) is (level < 1)

    def test_fewer_people_than_results_need_is_a_problem(self) -> None:
        found = self._found(yes_no(), expected_n=9, minimum_n=10)
        assert found["below_minimum"].level == Level.PROBLEM
        assert "below_minimum" not in self._found(yes_no(), expected_n=10, minimum_n=10)

    @pytest.mark.parametrize(("n", "few"), [(59, True), (60, False)])
    def test_too_few_answers_for_a_conclusion_are_found_with_the_number_that_would_do(self, n: int, few: bool) -> None:
        found = self._found(yes_no(), expected_n=n)
        assert ("too_few" in found) is few
        if few:
            assert "Ask at least 60 people" in found["too_few"].fix

    def test_it_says_once_what_holds_for_several_questions(self) -> None:
        found = self._found(yes_no("Were you bullied this year?"), number_mean(), yes_no("Were you bullied last year?"))
        assert found["seen_to_leave_out"].numbers == (1, 3)

    def test_every_kind_gets_findings_only_where_they_are_true(self) -> None:
        found = self._found(*every_kind())
        about = {
            rule: finding.numbers for rule, finding in found.items() if rule not in {"total_epsilon", "no_support"}
        }
        # Triangular proves; of 30 people some would be alone in their year.
        assert about == {"infinite_epsilon": about["infinite_epsilon"], "singled_out": (18,)}

    @pytest.mark.parametrize("shown", CLASSES, ids=lambda each: each.code)
    def test_the_demo_classes_get_no_alarm_about_what_they_ask(self, shown: object) -> None:
        found = self._found(*shown.questions, expected_n=shown.n)  # type: ignore[attr-defined]
        allowed = {"infinite_epsilon", "total_epsilon", "only_an_anchor_tells_who_follows"}
        assert found.keys() <= allowed, {rule: found[rule].evidence for rule in found.keys() - allowed}

    def test_the_weightiest_come_first(self) -> None:
        levels = [finding.level for finding in findings_of(make_draft(yes_no("What is your name?"), expected_n=5))]
        assert levels == sorted(levels)
        assert levels[0] == Level.PROBLEM

    def test_they_speak_the_language_of_the_page_not_of_the_survey(self) -> None:
        survey = make_draft(yes_no("Wie heißt du?"), language="de")
        with translation.override("en"):
            assert {finding.rule for finding in findings_of(survey)} >= {"identifier"}
            assert any(finding.what == "This asks who somebody is." for finding in findings_of(survey))


class TestInTheEditor:
    """The same rules on what is typed, finished or not."""

    def _found(self, *rows: dict[str, str], **typed: str) -> dict[str, LintFinding]:
        questions = [(number, row, NoDial("not finished")) for number, row in enumerate(rows, start=1)]
        found = typed_findings(questions, typed=typed, expected_n=400, expected_share=Fraction(3, 10))
        return {finding.rule: finding for finding in found}

    def test_a_question_without_numbers_is_read_all_the_same(self) -> None:
        assert "identifier" in self._found(question(text="What is your name?", truth="abc"))

    def test_a_question_without_text_is_not_judged_yet(self) -> None:
        assert self._found(question(text=" "), introduction="Why", consent="Yes") == {}

    def test_its_options_are_read_as_lines(self) -> None:
        row = question(text="How many of these are true of you?", kind="item_count", options="I ski\n\nI sing")
        assert "few_statements" in self._found(row)
        assert "few_statements" not in self._found(row | {"options": "I ski\n\nI sing\nI paint"})

    @pytest.mark.parametrize("typed", ["", "abc", "-3", "9" * 40])
    def test_a_minimum_that_is_no_number_is_the_usual_one(self, typed: str) -> None:
        assert "below_minimum" not in self._found(question(), minimum_n=typed)


def test_every_rule_is_in_the_table_once() -> None:
    assert len({rule.__name__ for rule in RULES}) == len(RULES) == 18


@pytest.mark.django_db
def test_a_stored_survey_and_the_same_one_typed_get_the_same_findings() -> None:
    survey: Survey = make_draft(one_of(text="How often did you copy?"), expected_n=40)
    definition = definition_of(survey)
    assert definition.questions
    assert {finding.rule for finding in findings_of(survey)} == {
        "no_introduction",
        "no_consent",
        "too_few",
    }


class TestOnThePage:
    """What is shown of it."""

    def _page(self, *texts: str, **context: object) -> str:
        questions = tuple(LintedQuestion(number, text) for number, text in enumerate(texts, start=1))
        findings = findings_in(LintedSurvey(questions, "Why", "Yes", "The counsellor"))
        return " ".join(render_to_string("linting/_lint.html", {"findings": findings} | context).split())

    def test_a_finding_says_how_weighty_what_where_why_and_what_helps(self) -> None:
        page = self._page(
            "Were you bullied this year?", "Did you lie?", "Were you bullied last year?", "What is your name?"
        )
        assert '<span class="level">Problem:</span> This asks who somebody is.' in page
        assert '<span class="quiet">Question 4.</span>' in page
        assert '<span class="quiet">Questions 1 and 3.</span>' in page
        assert '<q dir="auto">What is your name</q>' in page
        assert page.count("What helps:") == page.count('class="sign"') == 2

    def test_a_finding_names_where_its_reason_is_from(self) -> None:
        read = LintedQuestion(1, "How many of these are true of you?", "item_count", ("I ski", "I sing"))
        page = render_to_string("linting/_lint.html", {"findings": findings_in(LintedSurvey((read,), "Why", "Yes"))})
        assert "(Blair &amp; Imai (2012), Statistical analysis of list experiments, Political Analysis 20.)" in page

    def test_nothing_found_is_no_praise(self) -> None:
        assert "A linter sees patterns, not sense" in self._page("Did you lie this year?")

    def test_what_the_author_wrote_is_escaped(self) -> None:
        page = self._page("<script>What</script>? What is your name?", "Did you hurt <yourself> this year?")
        assert "<script>" not in page
        assert "hurt &lt;yourself" in page
        assert "<yourself" not in page

    def test_a_button_mends_where_the_page_can(self) -> None:
        button = '<button class="plain" type="submit" name="action" value="mend-1-seen_to_leave_out">'
        assert button in self._page("Were you bullied this year?", mending=True)
        assert "<button" not in self._page("Were you bullied this year?")

    @pytest.mark.parametrize(
        ("total", "factor", "level"),
        [(math.log(9), "at most 9 times as large", "within the level of 4"), (4.5, "at most 91 times", "above")],
    )
    def test_a_total_is_told_in_odds_and_against_the_level(self, total: float, factor: str, level: str) -> None:
        page = render_to_string("editor/_dial_total.html", {"total": total})
        assert factor in page
        assert level in page

    def test_a_huge_total_has_no_factor(self) -> None:
        page = render_to_string("editor/_dial_total.html", {"total": 15.0})
        assert "all but certain" in page
        assert "times as large" not in page


def test_of_what_is_typed_no_more_is_read_than_can_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules look at every word: of a hundred thousand options that would take long."""
    read: list[LintedSurvey] = []
    monkeypatch.setattr(typed, "findings_in", lambda survey: read.append(survey) or ())
    fields = {"kind": "one_of", "text": "no " * 80_000, "options": "\n".join(f"w{number}" for number in range(20_000))}
    words = dict.fromkeys(("introduction", "consent", "support"), "not " * 50_000)
    typed.typed_findings([(1, fields, NoDial("too many options"))], typed=words, expected_n=30)
    [survey] = read
    [question] = survey.questions
    assert len(question.options) == MAX_OPTIONS + 1
    assert len(question.text) == 500
    assert {len(survey.introduction), len(survey.consent), len(survey.support)} == {2000}
