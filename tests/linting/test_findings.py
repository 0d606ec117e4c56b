"""The linter on whole surveys: numbers, what stands around the questions, and what is typed in the editor."""

import re
from fractions import Fraction
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.test import override_settings
from django.utils import translation

from surveys.common.selectors import definition_of
from surveys.editor.figures import NoDial
from surveys.editor.forms import editor as typed
from surveys.editor.forms.editor import typed_findings
from surveys.linting.findings import Level, LintFinding
from surveys.linting.selectors import QUESTION_RULES, SURVEY_RULES, findings_in, findings_of
from surveys.linting.subject import LintedSurvey, unfinished
from surveys.management.classes import CLASSES
from surveys.models import Survey
from surveys.questionnaire.document import TEXTS
from surveys.questionnaire.kinds import MAX_OPTIONS
from surveys.questionnaire.question import Question
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
    read = unfinished(4, text, leave_out="visibly")
    findings = {finding.rule: finding for finding in findings_in(LintedSurvey((read,), "Why", "Yes"))}
    assert ("no_support" in findings) is harm
    assert ("seen_to_leave_out" in findings) is harm
    if harm:
        assert findings["no_support"].numbers == (4,)
        assert dict(findings["seen_to_leave_out"].sets)["leave_out"] == "protected"
        helped = {finding.rule for finding in findings_in(LintedSurvey((read,), "Why", "Yes", "The counsellor"))}
        assert "no_support" not in helped


@pytest.mark.django_db
class TestASurvey:
    """Rules about numbers, and about what stands around the questions."""

    def _findings(self, *questions: Question, **fields: object) -> dict[str, LintFinding]:
        fields = {"introduction": "Why we ask.", "consent": "You agree.", "expected_n": 400} | fields
        return {finding.rule: finding for finding in findings_of(make_draft(*questions, **fields))}

    def test_what_is_in_order_has_no_findings(self) -> None:
        assert self._findings(yes_no("Did you cheat in an exam this term?")) == {}

    def test_missing_introduction_and_consent_are_hints(self) -> None:
        findings = self._findings(yes_no(), introduction=" ", consent="")
        assert {findings["no_introduction"].level, findings["no_consent"].level} == {Level.HINT}

    def test_an_infinite_epsilon_is_a_warning_that_names_the_crosswise_design(self) -> None:
        findings = self._findings(crosswise(), triangular())
        assert findings["infinite_epsilon"].numbers == (2,)
        assert findings["infinite_epsilon"].sets == (("design", "crosswise"),)
        assert "total_epsilon" not in findings

    def test_a_total_above_the_level_names_what_gives_most_away(self) -> None:
        strong = yes_no(parameters={"truth": [4, 5], "yes": [1, 2]})
        finding = self._findings(strong, yes_no("B?"), yes_no("C?"))["total_epsilon"]
        # ln 9 + 2 ln 3 = 4 ln 3.
        assert re.findall(r"\d+(?:\.\d+)?", finding.what) == ["4.40", "4"]
        assert "question 1 (2.20)" in finding.fix
        assert "total_epsilon" not in self._findings(yes_no("A?"), yes_no("B?"), yes_no("C?"))

    @pytest.mark.parametrize("level", [0.5, 5.0])
    def test_the_level_is_a_setting(self, level: float) -> None:
        with override_settings(EPSILON_LEVEL=level):
            assert ("total_epsilon" in self._findings(yes_no())) is (level < 1)

    def test_fewer_people_than_results_need_is_a_problem(self) -> None:
        findings = self._findings(yes_no(), expected_n=9, minimum_n=10)
        assert findings["below_minimum"].level == Level.PROBLEM
        assert "below_minimum" not in self._findings(yes_no(), expected_n=10, minimum_n=10)

    @pytest.mark.parametrize(("n", "few"), [(59, True), (60, False)])
    def test_too_few_answers_for_a_conclusion_come_with_the_number_that_would_do(self, n: int, few: bool) -> None:
        findings = self._findings(yes_no(), expected_n=n)
        assert ("too_few" in findings) is few
        assert ("60" in findings["too_few"].fix) if few else True

    def test_it_says_once_what_holds_for_several_questions(self) -> None:
        bullied = yes_no("Were you bullied this year?"), yes_no("Were you bullied last year?")
        findings = self._findings(bullied[0], number_mean(), bullied[1])
        assert findings["seen_to_leave_out"].numbers == (1, 3)

    def test_every_kind_gets_findings_only_where_they_are_true(self) -> None:
        findings = self._findings(*every_kind())
        about = {
            rule: finding.numbers for rule, finding in findings.items() if rule not in {"total_epsilon", "no_support"}
        }
        # Triangular proves; of 30 people some would be alone in their year.
        assert about == {"infinite_epsilon": about["infinite_epsilon"], "singled_out": (18,)}

    @pytest.mark.parametrize("shown", CLASSES, ids=lambda each: each.code)
    def test_the_demo_classes_get_no_alarm_about_what_they_ask(self, shown: object) -> None:
        findings = self._findings(*shown.questions, expected_n=shown.n)  # type: ignore[attr-defined]
        allowed = {"infinite_epsilon", "total_epsilon", "only_an_anchor_tells_who_follows"}
        assert findings.keys() <= allowed, {rule: findings[rule].evidence for rule in findings.keys() - allowed}

    def test_the_weightiest_come_first(self) -> None:
        levels = [finding.level for finding in findings_of(make_draft(yes_no("What is your name?"), expected_n=5))]
        assert levels == sorted(levels)
        assert levels[0] == Level.PROBLEM

    def test_they_speak_the_language_of_the_page_not_of_the_survey(self) -> None:
        surveys = make_draft(yes_no("Wie heißt du?"), language="de"), make_draft(yes_no("What is your name?"))
        with translation.override("en"):
            german, english = (
                next(finding for finding in findings_of(survey) if finding.rule == "identifier") for survey in surveys
            )
        assert german.what == english.what
        with translation.override("de"):
            assert english.what not in {finding.what for finding in findings_of(surveys[0])}


class TestInTheEditor:
    """The same rules on what is typed, finished or not."""

    def _findings(self, *rows: dict[str, str], **typed: str) -> dict[str, LintFinding]:
        questions = [(number, row, NoDial("not finished")) for number, row in enumerate(rows, start=1)]
        findings = typed_findings(questions, typed=typed, expected_n=400, expected_share=Fraction(3, 10))
        return {finding.rule: finding for finding in findings}

    def test_a_question_without_numbers_is_read_all_the_same(self) -> None:
        assert "identifier" in self._findings(question(text="What is your name?", truth="abc"))

    def test_a_question_without_text_is_not_judged_yet(self) -> None:
        assert self._findings(question(text=" "), introduction="Why", consent="Yes") == {}

    def test_its_options_are_read_as_lines(self) -> None:
        row = question(text="How many of these are true of you?", kind="item_count", options="I ski\n\nI sing")
        assert "few_statements" in self._findings(row)
        assert "few_statements" not in self._findings(row | {"options": "I ski\n\nI sing\nI paint"})

    @pytest.mark.parametrize("typed", ["", "abc", "-3", "9" * 40])
    def test_a_minimum_that_is_no_number_is_the_usual_one(self, typed: str) -> None:
        assert "below_minimum" not in self._findings(question(), minimum_n=typed)


def test_every_rule_is_in_the_table_once() -> None:
    rules = [*QUESTION_RULES, *SURVEY_RULES]
    assert len({rule.__name__ for rule in rules}) == len(rules) == 18


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
        questions = tuple(unfinished(number, text) for number, text in enumerate(texts, start=1))
        findings = findings_in(LintedSurvey(questions, "Why", "Yes", "The counsellor"))
        return " ".join(render_to_string("linting/_lint.html", {"findings": findings} | context).split())

    def test_a_finding_says_how_weighty_what_where_why_and_what_helps(self) -> None:
        page = self._page(
            "Were you bullied this year?", "Did you lie?", "Were you bullied last year?", "What is your name?"
        )
        assert f'<span class="level">{Level.PROBLEM.label}:</span>' in page
        assert '<span class="quiet">Question 4.</span>' in page
        assert '<span class="quiet">Questions 1 and 3.</span>' in page
        assert '<q dir="auto">What is your name</q>' in page
        assert page.count('class="sign"') == 2

    def test_a_finding_names_where_its_reason_is_from(self) -> None:
        read = unfinished(1, "How many of these are true of you?", kind="item_count", options=("I ski", "I sing"))
        findings = findings_in(LintedSurvey((read,), "Why", "Yes"))
        page = render_to_string("linting/_lint.html", {"findings": findings})
        sources = [finding.source for finding in findings if finding.source]
        assert sources
        assert all(source in unescape(page) for source in sources)

    def test_where_there_is_no_finding_something_is_said_all_the_same(self) -> None:
        assert re.search(r"</h2> <p>[^<]+</p>", self._page("Did you lie this year?"))

    def test_what_the_author_wrote_is_escaped(self) -> None:
        page = self._page("<script>What</script>? What is your name?", "Did you hurt <yourself> this year?")
        assert "<script>" not in page
        assert "hurt &lt;yourself" in page
        assert "<yourself" not in page

    def test_a_button_mends_where_the_page_can(self) -> None:
        button = '<button class="plain" type="submit" name="action" value="mend-1-seen_to_leave_out">'
        assert button in self._page("Were you bullied this year?", mending=True)
        assert "<button" not in self._page("Were you bullied this year?")


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
    assert {name: len(getattr(survey, name)) for name in words} == {name: TEXTS[name].longest for name in words}
