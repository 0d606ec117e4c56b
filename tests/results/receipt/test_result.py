"""What those who answered are shown of the result: the overview's figures, in batches, and nothing to anybody else."""

import re

import pytest
from django.test import Client

from surveys.answering.views.receipt import DONE_COOKIE
from surveys.course.services import close_survey, hide_result, purge_survey, show_result
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import OutdatedError, snapshot_of
from surveys.results import report as reports
from surveys.results.words import finding_of
from surveys.sharing.services import invite, new_batch
from tests.factories import every_kind, fill, make_open, number_mean, one_of, send, settle, yes_no
from tests.pages import owner_of, text_of
from tests.presenting.presented import answered_by_chance
from tests.results.seen import says

pytestmark = pytest.mark.django_db


def _result(survey: Survey, rest: str = "") -> str:
    return f"/s/{survey.code}/{rest}receipt/result/"


def _somebody(done: bool = True) -> Client:
    client = Client()
    if done:
        client.cookies[DONE_COOKIE] = "1"
    return client


def _shown(*questions: object, counts: dict[str, int] | None = None, **fields: object) -> Survey:
    survey = make_open(*questions, **fields)
    fill(survey, counts or {"1": 30, "0": 70})
    return show_result(survey=close_survey(survey=survey))


def test_the_receipt_leads_those_who_answered_to_the_result() -> None:
    survey = _shown()
    receipt = text_of(_somebody().get(f"/s/{survey.code}/receipt/"))
    assert 'href="result/"' in receipt
    hide_result(survey=survey)
    assert 'href="result/"' not in text_of(_somebody().get(f"/s/{survey.code}/receipt/"))


def _dots(page: str) -> list[int]:
    """Return how many dots of each kind a page draws of one question."""
    drawn = re.findall(r'<g class="(?:yes|may|could|empty)">(?:<circle[^>]*>)*', page)
    return [each.count("<circle") for each in drawn if each.count("<circle") > 1]


@pytest.mark.parametrize("question", [yes_no(), one_of(), number_mean()])
def test_it_says_what_the_results_page_says(question: Question) -> None:
    survey = show_result(survey=answered_by_chance(question))
    for _look in ("while it is open", "and closed"):
        dashboard = owner_of(survey).get(f"/surveys/{survey.code}/results/")
        shown = _somebody().get(_result(survey))
        [(_numbers, headline)] = shown.context["findings"]
        [result] = dashboard.context["results"].questions
        assert headline == finding_of(result, 0.95)
        for page in (text_of(dashboard), text_of(shown)):
            assert all(says(page, words) for words in (headline.title, headline.value, headline.sure))
        assert _dots(text_of(shown)) == _dots(text_of(dashboard))
        if survey.may_collect_more:
            send(survey, "1")
            survey = close_survey(survey=survey)


def test_the_first_question_is_large_and_from_the_fourth_on_they_fold() -> None:
    asked = [yes_no(f"Number {word}?") for word in ("one", "two", "three", "four", "five")]
    page = text_of(_somebody().get(_result(_shown(*asked, counts={"11111": 40, "00000": 60}))))
    assert page.count('class="large-figure"') == 1
    assert page.count("95% confidence interval") == 5
    assert page.index("Number three?") < page.index("2 more questions") < page.index("Number four?")


@pytest.mark.parametrize("language", ["en", "he"])
def test_every_kind_of_question_is_told_in_the_surveys_language(language: str) -> None:
    survey = answered_by_chance(*every_kind(), n=60, language=language)
    show_result(survey=close_survey(survey=survey))
    response = _somebody().get(_result(survey))
    assert (response.status_code, response["Content-Language"]) == (200, language)
    assert text_of(response).count('dir="auto"') == len(every_kind())
    heading = text_of(response).split("<h1")[1].split("</h1>")[0]
    assert bool(re.search("[א-ת]", heading)) == (language == "he")


def test_of_a_question_that_too_few_answered_nothing_is_told() -> None:
    survey = _shown(yes_no(), yes_no("Seldom answered?"), counts={"1-": 30, "0-": 10, "01": 3})
    response = _somebody().get(_result(survey))
    (_often, headline), (seldom, nothing) = response.context["findings"]
    assert headline
    assert (seldom.enough, nothing) == (False, None)
    assert text_of(response).count("95% confidence interval") == 1


def test_whoever_has_not_answered_is_led_to_the_questions() -> None:
    survey = _shown()
    response = _somebody(done=False).get(_result(survey))
    assert (response.status_code, response["Location"]) == (302, f"/s/{survey.code}/")


def test_where_nothing_is_shown_there_is_nothing() -> None:
    survey = _shown()
    hidden, purged = make_open(), purge_survey(survey=_shown())
    fill(hidden, {"1": 50})
    for away in (hidden, purged, hide_result(survey=survey)):
        response = _somebody().get(_result(away))
        assert response.status_code == 404
        assert "of 100" not in text_of(response)


def test_behind_a_group_and_an_invitation_it_is_the_same() -> None:
    survey = make_open(by_invitation=True)
    add_group(survey=survey, name="North", slug="north")
    (token,) = invite(survey=survey, number=1, batch=new_batch()).tokens
    fill(survey, {"1": 40})
    show_result(survey=close_survey(survey=survey))
    pages = [_somebody().get(_result(survey, rest)) for rest in ("north/", f"i/{token}/", f"north/i/{token}/")]
    assert {page.status_code for page in pages} == {200}
    assert len({re.sub(r'href="/s/[^"]*"', "", text_of(page)) for page in pages}) == 1


def test_whoever_asks_for_it_again_and_again_sees_batches_and_no_arrival() -> None:
    survey = make_open(minimum_n=10)
    for report in "01" * 12:
        send(survey, report)
    settle(survey)
    survey = show_result(survey=survey)
    seen = []
    for report in "01" * 15:
        send(survey, report)
        seen.append(text_of(_somebody().get(_result(survey))))
    # Nothing was folded meanwhile, and no page read the reports that wait.
    assert len(set(seen)) == 1
    settle(survey)
    n = [
        int(re.findall(r"From <strong>(\d+)</strong>", page)[0])
        for page in (seen[0], text_of(_somebody().get(_result(survey))))
    ]
    assert n[1] - n[0] >= 10


def test_a_fold_in_between_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:

    survey, failures = _shown(), [OutdatedError()]

    def first_outdated(*given: object) -> object:
        if failures:
            raise failures.pop()
        return snapshot_of(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(reports, "snapshot_of", first_outdated)
    assert _somebody().get(_result(survey)).status_code == 200
    assert failures == []


def test_below_the_minimum_nothing_is_told_even_where_it_is_allowed() -> None:
    """The database lets it be set; the page looks for itself."""
    survey = make_open()
    fill(survey, {"1": 3})
    Survey.objects.filter(pk=survey.pk).update(result_on_receipt=True)
    assert _somebody().get(_result(survey)).status_code == 404
