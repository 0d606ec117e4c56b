"""Releases in the admin: the list with its running totals, one release for good, publishing and withdrawing."""

from fractions import Fraction
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from surveys.common.selectors import definition_of
from surveys.models import Mechanism, Release
from surveys.questionnaire.question import Question
from surveys.releases.charts import stored_value
from surveys.releases.mechanisms import PLANS
from surveys.releases.services.releasing import publish
from tests.factories import number_bands, number_mean, one_of, yes_no
from tests.releases.asked import ALONE
from tests.releases.setting import make_release, ready_survey
from tests.releases.steps import LIST, text_of

pytestmark = pytest.mark.django_db


def _rows(response: HttpResponse) -> dict[tuple[str, int], tuple[int, int]]:
    """Return for each release in the list what was spent after it and what was left then."""
    return {
        (row.survey.title, row.micro_epsilon): (
            row.entry.spent_micro_epsilon,
            row.entry.total_micro_epsilon - row.entry.spent_micro_epsilon,
        )
        for row in response.context["cl"].result_list
    }


def _address(release: Release) -> str:
    return f"{LIST}{release.pk.replace('_', '_5F')}/change/"


def test_the_list_runs_up_each_surveys_charges(staff: Client) -> None:
    survey, other = ready_survey(), ready_survey(title="Other")
    for epsilon in (Fraction(1, 4), Fraction(1, 8)):
        make_release(survey, epsilon=epsilon)
    make_release(other, epsilon=Fraction(1))
    response = staff.get(LIST)
    assert _rows(response) == {
        ("Exams", 250_000): (250_000, 750_000),
        ("Exams", 125_000): (375_000, 625_000),
        ("Other", 1_000_000): (1_000_000, 0),
    }
    assert "ε = 0.125 No ε: 0.375 of 1" in text_of(response)


def test_filtering_the_list_leaves_its_totals_right(staff: Client) -> None:
    survey = ready_survey()
    make_release(survey, epsilon=Fraction(1, 4))
    published = make_release(survey, epsilon=Fraction(1, 8))
    publish(release=published, user=published.created_by)
    assert _rows(staff.get(LIST, {"published__exact": "1"})) == {("Exams", 125_000): (375_000, 625_000)}


@pytest.mark.parametrize(
    ("typed", "found"),
    [("often", ["Other"]), ("ever CHEATED", ["Exams"]), ("other", ["Other"]), ("yes_no", []), ("visibly", []), ("", 2)],
)
def test_a_release_is_found_by_what_it_asks_and_by_no_word_of_what_is_stored(
    staff: Client, typed: str, found: list[str] | int
) -> None:
    make_release(ready_survey(None, yes_no("Have you ever cheated?")))
    make_release(ready_survey(None, yes_no("How often?"), title="Other"))
    titles = [release.survey.title for release in staff.get(LIST, {"q": typed}).context["cl"].result_list]
    assert titles == found or len(titles) == found


NUMBERS = {Mechanism.TOTAL: number_mean, Mechanism.MEAN: number_mean}
OPTIONS: dict[str, dict[str, Any]] = {
    Mechanism.ONE_COUNT: {"answer": 1},
    Mechanism.TOP: {"how_many": 2},
    Mechanism.QUANTILE: {"share": "1/2"},
    Mechanism.STABLE_MEDIAN: {"bound": "1000"},
}


@pytest.mark.parametrize("mechanism", ALONE)
def test_a_release_by_any_mechanism_is_shown_with_what_it_says(staff: Client, mechanism: str) -> None:
    question: Question = NUMBERS.get(Mechanism(mechanism), number_bands)()
    delta = Fraction(1, 10**6) if PLANS[mechanism].uses_delta else Fraction(0)
    survey = ready_survey({"0": 50, "1": 80}, question, delta=Fraction(1, 10**6))
    release = make_release(survey, mechanism=mechanism, delta=delta, options=OPTIONS.get(mechanism, {}))
    text = text_of(staff.get(_address(release)))
    assert question.text in text
    assert release.get_mechanism_display() in text
    assert "replace one response" in text
    assert "#2" in text
    assert "For the tests." in text
    assert f"{definition_of(survey).title} ({survey.code})" in text
    # The draw is there as it is stored, every part of it by a name.
    names = PLANS[release.mechanism].stored_names
    for name, value in release.parts.get().output.items():
        assert f"{names[name]} {stored_value(value)}" in text


def test_a_release_links_to_its_line_of_the_ledger(staff: Client) -> None:
    release = make_release(ready_survey())
    address = f"/admin/surveys/ledgerentry/{release.entry.pk}/change/"
    assert f'href="{address}"' in staff.get(_address(release)).content.decode()
    assert "For the tests." in text_of(staff.get(address))


def test_looking_again_shows_the_same_draw(staff: Client) -> None:
    release = make_release(ready_survey({"0": 50, "1": 30, "2": 20}, one_of()))
    pages = {text_of(staff.get(_address(release))) for _ in range(5)}
    assert len(pages) == 1


def test_publishing_and_withdrawing_one_release(staff: Client) -> None:
    release = make_release(ready_survey())
    address = f"{LIST}{release.pk}/publication/"
    shown = [
        Release.objects.get().published
        for answer in ("yes", "no", "yes")
        if staff.post(address, {"published": answer}).status_code == 302
    ]
    assert shown == [True, False, True]


def test_publish_stands_above_what_explains_the_draw(staff: Client) -> None:
    release = make_release(ready_survey())
    page = staff.get(_address(release)).content.decode()
    assert page.index('name="published"') < page.index("<h2") < page.index('class="levels"')
    publish(release=release, user=release.created_by)
    page = staff.get(_address(release)).content.decode()
    assert page.index('class="levels"') < page.index('name="published"')


def test_publication_is_never_a_get(staff: Client) -> None:
    release = make_release(ready_survey())
    assert staff.get(f"{LIST}{release.pk}/publication/").status_code == 405
    assert not Release.objects.get().published


def test_publishing_and_withdrawing_many(staff: Client) -> None:
    survey = ready_survey()
    keys = [make_release(survey, epsilon=Fraction(1, 4)).pk for _ in range(2)]
    for action, expected in (("publish", 2), ("withdraw", 0)):
        staff.post(LIST, {"action": action, "_selected_action": keys})
        assert Release.objects.filter(published=True).count() == expected


def test_the_ledger_says_who_published_and_withdrew_and_that_it_cost_nothing(staff: Client, admin: User) -> None:
    release = make_release(ready_survey())
    for answer in ("yes", "yes", "no"):
        staff.post(f"{LIST}{release.pk}/publication/", {"published": answer})
    shown, hidden = release.publications.order_by("number")
    assert [(line.kind, line.number, line.epsilon, line.delta) for line in (shown, hidden)] == [
        ("publish", 3, 0, 0),
        ("withdraw", 4, 0, 0),
    ]
    assert {line.created_by_name for line in (shown, hidden)} == {admin.username}
    text = text_of(staff.get(_address(release)))
    assert f"#3: Release published, by {admin.username}" in text
    assert f"#4: Release withdrawn, by {admin.username}" in text
    assert "Release published" in text_of(staff.get(f"/admin/surveys/ledgerentry/{shown.pk}/change/"))
    page = text_of(staff.get(f"/admin/surveys/budget/{shown.budget_id}/change/"))
    assert "Release withdrawn 0 0" in page
    assert not LogEntry.objects.exists()


def test_a_release_can_be_neither_changed_nor_deleted_in_the_admin(staff: Client) -> None:
    release = make_release(ready_survey())
    before = list(release.parts.values())
    responses = [
        staff.post(_address(release), {"n": "1"}),
        staff.post(_address(release).replace("/change/", "/delete/"), {"post": "yes"}),
        staff.post(LIST, {"action": "delete_selected", "_selected_action": release.pk, "post": "yes"}),
    ]
    assert [response.status_code for response in responses[:2]] == [403, 403]
    assert Release.objects.get() == release
    assert list(Release.objects.get().parts.values()) == before
