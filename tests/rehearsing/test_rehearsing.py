"""The pages of a rehearsal: what is to be true, how far it is, the truth beside the estimates."""

import re
from functools import cache

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import surveys_of
from surveys.common.totals import response_count
from surveys.drafts.services.surveys import save_draft
from surveys.models import Membership, Rehearsal, Response, Role, Survey
from surveys.questionnaire.definition import Definition
from surveys.rehearsing import services
from surveys.rehearsing.forms import RehearsalForm, first_guess, initial_fields, preset
from surveys.rehearsing.words import banner_words, holding_words, progress_words
from tests.answering.parts import define
from tests.course.states import member_of
from tests.factories import (
    PROTECTED,
    every_kind,
    fill,
    make_draft,
    make_open,
    make_user,
    number_mean,
    one_of,
    rewrite,
    scale,
    several_of,
    yes_no,
)
from tests.rehearsing.rehearsals import rehearse

pytestmark = pytest.mark.django_db

TABS = ("", "-groups", "-relate", "-regression", "-weights", "-bayes", "-plan", "-methods")


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everybody answer in one step, however busy the machine is."""
    monkeypatch.setattr(services, "STEP_SECONDS", 600)


@pytest.fixture
def teacher(client: Client) -> User:
    teacher = make_user()
    client.force_login(teacher)
    return teacher


def _at(survey: Survey, page: str = "") -> str:
    return reverse(f"survey-rehearse{page}", args=[survey.code])


def _typed(client: Client, survey: Survey, **changes: str) -> dict[str, str]:
    """Return what the form holds at first, changed: names are written with _ for -."""
    form = client.get(_at(survey)).context["form"]
    return {name: form[name].value() for name in form.fields} | {
        name.replace("_", "-"): value for name, value in changes.items()
    }


def _start(client: Client, survey: Survey, **changes: str) -> Rehearsal:
    assert client.post(_at(survey), _typed(client, survey, **changes)).status_code == 302
    return Rehearsal.objects.select_related("survey").get(survey__rehearsal_of=survey)


def _filled(definition: Definition, **changes: str) -> RehearsalForm:
    """Return the form as it is sent when it was changed so, without a page around it."""
    typed = {name.replace("_", "-"): value for name, value in changes.items()}
    return RehearsalForm(definition, first_guess(Survey(), definition) | typed)


def test_a_class_has_answered_when_the_next_page_comes(client: Client, teacher: User) -> None:
    survey = make_draft(*every_kind(), owner=teacher)
    _start(client, survey, respondents="200")
    page = client.get(_at(survey))
    words = page.content.decode()
    assert banner_words(page.context["rehearsal"]) in words
    comparison = page.context["comparison"]
    # Now and then no share fits the reports of somebody nobody is, and then there is no interval.
    assert 38 <= comparison.claimed <= 44
    assert holding_words(comparison) in words
    # Each figure is a chart with a pin, and a row of a table.
    assert words.count('class="pin"') == 44
    assert words.count("<tbody>") == 17 + 3  # of shares; and of two means and a scale's


def test_the_form_begins_with_what_the_survey_is_planned_for(client: Client, teacher: User) -> None:
    survey = make_draft(yes_no(), number_mean(), scale(), owner=teacher, expected_n=80, expected_share=15)
    typed = _typed(client, survey)
    assert (typed["respondents"], typed["q1-0"], typed["q2-0"]) == ("80", "15", "1.8")
    assert sum(int(typed[f"q3-{code}"]) for code in range(5)) == 100


@pytest.mark.parametrize(("expected", "offered"), [(1, "10"), (10_000_000, "10000")])
def test_a_survey_for_very_few_or_very_many_begins_with_what_can_be_rehearsed(
    client: Client, teacher: User, expected: int, offered: str
) -> None:
    assert _typed(client, make_draft(owner=teacher, expected_n=expected))["respondents"] == offered


def test_the_shares_typed_are_those_of_the_people_exactly(client: Client, teacher: User) -> None:
    survey = make_draft(
        yes_no(), one_of(), several_of(), number_mean(**PROTECTED), scale(leave_out="visibly"), owner=teacher
    )
    shares = {"q1_0": "12,5", "q1_leaving": "20%", "q2_0": "100/3", "q2_1": "", "q2_2": "", "q3_0": "0", "q3_1": "100"}
    means = {"q4_0": "4.5", "q4_leaving": "10", "q5_0": "", "q5_1": "", "q5_2": "", "q5_3": "", "q5_4": ""}
    rehearsal = _start(client, survey, respondents="600", q3_2="50", **shares, **means)
    one, two, three, four, five = rehearsal.true_shares
    assert [str(share) for share in one.answers[0]] == ["7/8", "1/8"]
    assert str(one.leaving) == "1/5"
    assert [str(share) for share in two.answers[0]] == ["1/3", "1/3", "1/3"]
    assert [str(item[1]) for item in three.answers] == ["0", "1", "1/2"]
    assert [str(share) for share in four.answers[0]] == ["5/8", "3/8"]
    assert [str(share) for share in five.answers[0]] == ["1/5"] * 5
    # And they stand in the form again when they are to be changed.
    form = client.get(_at(survey) + "?change").context["form"]
    wanted = {"q1-0": "12.5", "q1-leaving": "20", "q2-0": "100/3", "q3-1": "100", "q4-0": "9/2", "q5-4": "20"}
    assert {name: form[name].value() for name in wanted} == wanted


WRONG = [
    ({"respondents": "9"}, "respondents", "10"),
    ({"respondents": "10001"}, "respondents", "10000"),
    ({"respondents": ""}, "respondents", ""),
    ({"respondents": "1e3"}, "respondents", ""),
    ({"respondents": "9" * 5000}, "respondents", ""),
    ({"q1_0": "abc"}, "q1-0", "Question 1: “abc”"),
    ({"q1_0": "-1"}, "q1-0", "Question 1: “-1”"),
    ({"q1_0": "100.1"}, "q1-0", "Question 1: “100.1”"),
    ({"q1_0": "1/0"}, "q1-0", "Question 1: “1/0”"),
    ({"q1_0": "nan"}, "q1-0", "Question 1: “nan”"),
    ({"q1_0": "٣"}, "q1-0", "Question 1: “٣”"),
    ({"q1_0": ""}, "q1-0", "Question 1: "),
    ({"q1_0": "9" * 300}, "q1-0", "Question 1: "),
    ({"q1_leaving": "200"}, "q1-leaving", "“200”"),
    ({"q2_0": "80", "q2_1": "40", "q2_2": ""}, "q2-0", "120"),
    ({"q2_0": "50", "q2_1": "20", "q2_2": "20"}, "q2-0", "90"),
    ({"q2_1": "x"}, "q2-1", "Question 2, “Once”: “x”"),
    ({"q3_0": "12.5"}, "q3-0", "from 0 (the smallest number) to 12 ("),
    ({"q3_0": "−1"}, "q3-0", "from 0 (the smallest number) to 12 ("),
    ({"q3_0": "many"}, "q3-0", "Question 3: “many”"),
    ({"q4_1": ""}, "q4-1", "Question 4, “Tablets”: "),
]


@pytest.mark.parametrize(("changes", "field", "named"), WRONG, ids=[str(changes)[:40] for changes, *_ in WRONG])
def test_what_cannot_be_true_is_named_at_its_field(changes: dict[str, str], field: str, named: str) -> None:
    form = _filled(define(yes_no(), one_of(), number_mean(), several_of()), **changes)
    (problem,) = form.problems
    assert problem.field_id == form[field].id_for_label
    assert named in problem.message


def test_a_page_with_problems_makes_nothing(client: Client, teacher: User) -> None:
    survey = make_draft(owner=teacher)
    response = client.post(_at(survey), _typed(client, survey, q1_0="abc"))
    assert (response.status_code, len(response.context["problems"])) == (422, 1)
    assert "<title>Error:" in response.content.decode()
    assert not Rehearsal.objects.exists()


def test_a_form_of_nothing_but_nonsense_is_refused(client: Client, teacher: User) -> None:
    survey = make_draft(owner=teacher)
    for body in ({}, {"preset": "x" * 1000}, {"preset": "1-falling"}, {"again": "1"}, {"q1-0": "\0"}):
        assert client.post(_at(survey), body).status_code in {200, 302, 422}
    assert not Rehearsal.objects.exists()


def test_shares_are_filled_in_and_everything_else_stays_as_typed(client: Client, teacher: User) -> None:
    survey = make_draft(yes_no(), one_of(), scale(), owner=teacher)

    def filled(preset: str) -> list[str]:
        page = client.post(_at(survey), _typed(client, survey, q1_0="typed", preset=preset))
        assert page.status_code == 200
        form = page.context["form"]
        assert form["q1-0"].value() == "typed"
        return [form[f"q2-{code}"].value() for code in range(3)]

    assert filled("2-falling") == ["51", "33", "16"]
    assert filled("2-even") == ["", "", ""]
    assert filled("2-first") == ["100", "0", "0"]
    assert not Rehearsal.objects.exists()


@cache
def _crowded(questions: int) -> Definition:
    """Return questions of as many answers as there can be; of fifty, a thousand shares."""
    options = [f"Option {number}" for number in range(20)]
    return define(*(one_of(options, f"Question {number}?") for number in range(questions)))


# Fewer questions would have a field for each answer.
@pytest.mark.parametrize("questions", [20, pytest.param(50, marks=pytest.mark.slow)])
def test_a_thousand_answers_are_typed_in_fifty_lines(questions: int) -> None:
    definition = _crowded(questions)
    form = _filled(definition, q1_shares="40 - - 20" + " 0" * 16, q2_shares="")
    assert len(form.fields) == questions + 1
    assert form.is_valid()
    first, second = ([str(share) for share in form.shares[number].answers[0]] for number in (0, 1))
    assert first == ["2/5", "1/5", "1/5", "1/5", *["0"] * 16]
    assert second == ["1/20"] * 20
    assert preset(definition, definition.questions[2], "first") == {"q3-shares": "100" + " 0" * 19}
    assert initial_fields(definition, 100, form.shares)["q1-shares"] == "40 20 20 20" + " 0" * 16


def test_the_page_shows_a_line_for_each_question_with_many_answers(client: Client, teacher: User) -> None:
    options = [f"Option {number}" for number in range(20)]
    survey = make_draft(*(one_of(options, f"Question {number}?") for number in range(20)), owner=teacher)
    page = client.get(_at(survey)).content.decode()
    assert re.findall(r'name="(q\d+-\w+)"', page) == [f"q{number}-shares" for number in range(1, 21)]


@pytest.mark.parametrize(
    ("line", "named"),
    [("50 50", "20"), ("x" + " 0" * 19, "“x”"), ("90 90" + " -" * 18, "180"), ("1 " * 4000, "800")],
)
def test_a_line_that_cannot_be_true_is_named(line: str, named: str) -> None:
    (problem,) = _filled(_crowded(20), q1_shares=line).problems
    assert problem.message.startswith("Question 1: ")
    assert named in problem.message


def test_a_survey_without_questions_has_nothing_to_rehearse(client: Client, teacher: User) -> None:
    survey = make_draft(owner=teacher)
    rewrite(survey, 0, questions=())
    assert 'name="respondents"' not in client.get(_at(survey)).content.decode()
    assert client.post(_at(survey), {"respondents": "20"}).status_code == 422


# Steps


def test_many_people_take_steps_and_going_on_never_doubles_anybody(
    client: Client, teacher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "STEP_SECONDS", 0)
    survey = make_draft(owner=teacher)
    rehearsal = _start(client, survey, respondents="700")
    page = client.get(_at(survey)).content.decode()
    assert '<progress id="progress" value="200" max="700"' in page
    # A form without JavaScript comes back to the page; a script is told in JSON.
    assert client.post(_at(survey, "-step")).headers["Location"] == _at(survey)
    for sent, done in ((600, False), (700, False), (700, True), (700, True)):
        answer = client.post(_at(survey, "-step"), headers={"Accept": "application/json"}).json()
        words = progress_words(Rehearsal.objects.select_related("survey").get())
        assert answer == {"sent": sent, "said": words, "done": done}
    assert response_count(rehearsal.survey) == 700


def test_a_script_learns_when_the_rehearsal_is_gone(client: Client, teacher: User) -> None:
    response = client.post(_at(make_draft(owner=teacher), "-step"), headers={"Accept": "application/json"})
    assert (response.status_code, response.json()) == (410, {"gone": True})


def test_no_browser_keeps_pages_of_a_rehearsal(client: Client, teacher: User) -> None:
    assert "no-store" in client.get(_at(make_draft(owner=teacher))).headers["Cache-Control"]


# Results


def test_every_tab_of_results_says_that_nobody_real_is_in_it(client: Client, teacher: User) -> None:
    survey = make_draft(yes_no(), one_of(), owner=teacher)
    rehearsal = _start(client, survey, respondents="300")
    for tab in TABS:
        page = client.get(reverse(f"survey-results{tab}", args=[rehearsal.survey.code])).content.decode()
        assert banner_words(rehearsal) in page, tab
        assert reverse("survey-rehearse-leave", args=[survey.code]) in page, tab
        # Nothing leads to a page that copies do not have.
        for name in ("survey-detail", "survey-export", "survey-groups"):
            assert f'{reverse(name, args=[rehearsal.survey.code])}"' not in page, tab
    question = client.get(reverse("survey-results-question", args=[rehearsal.survey.code, 1]))
    assert banner_words(rehearsal) in question.content.decode()


def test_a_chart_that_is_taken_along_is_called_a_rehearsal(client: Client, teacher: User) -> None:
    copy = _start(client, make_draft(owner=teacher), respondents="300").survey
    results = reverse("survey-results", args=[copy.code])
    file = client.get(results, {"chart": "q1-shares"})
    assert file.headers["Content-Disposition"] == f'attachment; filename="rehearsal-{copy.code}-q1-shares.svg"'
    assert f'data-png="rehearsal-{copy.code}-q1-shares.png"' in client.get(results).content.decode()


def test_results_of_real_people_say_nothing_of_a_rehearsal(client: Client, teacher: User) -> None:
    survey = make_open(owner=teacher)
    fill(survey, {"1": 20, "0": 20})
    page = client.get(reverse("survey-results", args=[survey.code])).content.decode()
    assert "simulated" not in page
    assert "-leave" not in page


def test_a_survey_that_wants_more_people_shows_nothing_but_their_number(client: Client, teacher: User) -> None:
    survey = make_draft(owner=teacher, minimum_n=25)
    _start(client, survey, respondents="20")
    page = client.get(_at(survey))
    comparison = page.context["comparison"]
    assert (comparison.n, comparison.minimum_n, comparison.enough) == (20, 25, False)
    assert "q1-truth" not in page.content.decode()


def test_it_runs_again_with_the_same_truths_and_new_chance(client: Client, teacher: User) -> None:
    survey = make_draft(owner=teacher)
    first = _start(client, survey, respondents="500", q1_0="42")
    assert client.post(_at(survey), {"again": "1"}).status_code == 302
    second = Rehearsal.objects.get()
    assert second.pk != first.pk
    assert (second.shares, second.respondents) == (first.shares, 500)


def test_a_draft_that_was_changed_meanwhile_is_rehearsed_anew(client: Client, teacher: User) -> None:
    survey = make_draft(owner=teacher)
    _start(client, survey)
    save_draft(survey=survey, questions=[one_of()])
    assert client.get(_at(survey)).context["outdated"]
    again = client.post(_at(survey), {"again": "1"}, follow=True)
    assert [message.level_tag for message in again.context["messages"]] == ["warning"]
    # The shares of a question that is gone are not offered for another one.
    assert client.get(_at(survey) + "?change").context["form"]["q1-2"].value() == "16"


# Leaving


def test_leaving_throws_the_copy_away(client: Client, teacher: User) -> None:
    survey = make_draft(owner=teacher)
    copy = _start(client, survey).survey
    left = client.post(_at(survey, "-leave"), follow=True)
    assert [message.level_tag for message in left.context["messages"]] == ["success"]
    assert Survey.objects.get() == survey
    assert client.get(reverse("survey-results", args=[copy.code])).status_code == 404
    # Leaving once more, in another tab, is no error.
    assert client.post(_at(survey, "-leave")).status_code == 302


def test_too_many_rehearsals_at_once_are_refused_kindly(
    client: Client, teacher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_IN_ALL", 0)
    survey = make_draft(owner=teacher)
    page = client.post(_at(survey), _typed(client, survey), follow=True)
    assert [message.level_tag for message in page.context["messages"]] == ["warning"]
    assert not Rehearsal.objects.exists()


# To nobody else


def test_a_copy_opens_for_nobody_but_the_person_who_rehearses(client: Client, teacher: User) -> None:
    survey = make_open(owner=teacher)
    theirs = member_of(survey, Role.EDITOR)
    copy = _start(theirs, survey).survey
    address = reverse("survey-results", args=[copy.code])
    assert theirs.get(address).status_code == 200
    assert client.get(address).status_code == 404
    Membership.objects.all().delete()
    assert theirs.get(address).status_code == 404


def test_respondents_do_not_reach_a_copy_even_while_it_is_open(
    client: Client, teacher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "STEP_SECONDS", 0)
    copy = _start(client, make_draft(owner=teacher), respondents="1000").survey
    assert copy.state == "open"
    nonce = {"nonce": "A" * 22, "mode": "device", "reports": "1"}
    somebody = Client()
    assert somebody.get(reverse("answer", args=[copy.code])).status_code == 404
    assert somebody.post(reverse("answer", args=[copy.code]), nonce).status_code == 404
    assert somebody.get(reverse("join"), {"code": copy.code}).status_code == 404
    assert Response.objects.count() == 200


@pytest.mark.parametrize("page", ["detail", "edit", "open", "share", "groups", "export", "export-csv", "ethics"])
def test_a_copy_has_no_other_pages_than_its_results(client: Client, teacher: User, page: str) -> None:
    copy = _start(client, make_draft(owner=teacher)).survey
    assert client.get(reverse(f"survey-{page}", args=[copy.code])).status_code == 404


def _lines(client: Client, export: str) -> int:
    return client.get(export).content.count(b"\n")


def test_copies_are_in_no_list_and_in_no_total(client: Client, teacher: User) -> None:
    survey = make_open(owner=teacher)
    fill(survey, {"1": 6, "0": 6})
    export = reverse("survey-export-figures-csv", args=[survey.code])
    before = _lines(client, export)
    copy = _start(client, survey).survey
    assert copy.code not in client.get(reverse("survey-list")).content.decode()
    assert _lines(client, export) == before > 1
    assert list(surveys_of(user=teacher)) == [survey]


@pytest.mark.parametrize(("address", "body"), [("/sign-out/", {}), ("/account/sign-out/", {"which": "all"})])
def test_signing_out_leaves_every_rehearsal(client: Client, teacher: User, address: str, body: dict[str, str]) -> None:
    survey = make_draft(owner=teacher)
    rehearse(survey)
    client.post(address, body)
    assert list(Survey.objects.all()) == [survey]
