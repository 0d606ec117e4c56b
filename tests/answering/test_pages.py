"""What a respondent is shown, and with which status."""

import datetime as dt
import re
from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from surveys.course.services import close_survey, pause_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from tests.factories import (
    crosswise,
    every_kind,
    fill,
    make_draft,
    make_open,
    number_bands,
    number_mean,
    one_of,
    scale,
    several_of,
    unrelated,
    yes_no,
)
from tests.pages import text_of

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


def page(client: Client, survey: Survey, rest: str = "") -> tuple[int, str]:
    response = client.get(f"/s/{survey.code}/{rest}")
    return response.status_code, " ".join(unescape(response.content.decode()).split())


def test_the_words_of_the_promise_accuse_nobody(client: Client) -> None:
    survey = make_open(yes_no(), one_of(), server_mode_allowed=True)
    for rest in ("", "own-coin/", "server/"):
        _, text = page(client, survey, rest)
        # JSON and buttons have a word for what is not so, and coins that show no face lie on it.
        words = re.sub(r'<script id="definition".*?</script>|aria-checked="false"|The coins lie face down', "", text)
        assert not {"lie", "lying", "fake", "false"} & set(re.findall(r"\w+", words.lower()))


def test_answers_on_a_device_are_buttons_outside_every_form_and_numbers_have_no_name(client: Client) -> None:
    survey = make_open(*every_kind())
    _, text = page(client, survey)
    outside = text
    while "<form" in outside:
        start = outside.index("<form")
        outside = outside[:start] + outside[outside.index("</form>") + len("</form>") :]
    assert text.count('role="radio"') == outside.count('role="radio"') > len(every_kind())
    fields = re.findall(r"<(?:input|select|textarea)[^>]*>", outside)
    assert len(fields) == sum(draft.kind == "number_mean" for draft in every_kind()) > 0
    for field in fields:
        assert 'type="text"' in field
        assert 'autocomplete="off"' in field
        assert " name=" not in field


def test_the_authors_text_is_escaped_everywhere(client: Client) -> None:
    nasty = "<img src=x onerror=alert(1)></script><script>alert(1)</script>"
    short = nasty[:20]
    facts, others = ({"innocuous": which + nasty, "innocuous_source": nasty} for which in "ab")
    survey = make_open(
        yes_no(nasty), one_of([nasty, "b"]), several_of([nasty, "b"], nasty), crosswise(details=facts),
        unrelated(details=others | {"selector": nasty, "selector_source": nasty}),
        scale(details={"points": 3, "low_end": nasty[:60], "high_end": "z"}),
        number_mean(details={"low": [0, 1], "high": [9, 1], "step": [1, 1], "unit": short}),
        number_bands(details={"edges": [[0, 1], [1, 1], [2, 1]], "unit": short}),
        title=nasty, introduction=nasty, consent=nasty, support=nasty, server_mode_allowed=True,
    )  # fmt: skip
    add_group(survey=survey, name=nasty[:80], slug="g")
    for rest in ("", "own-coin/", "server/", "receipt/", "g/", "g/own-coin/", "g/server/", "g/receipt/", "nosuch/"):
        html = client.get(f"/s/{survey.code}/{rest}").content.decode()
        assert "<img" not in html
        assert "<script>" not in html


def test_two_visitors_get_different_nonces_and_tokens_on_one_rendered_page(client: Client) -> None:
    survey = make_open()
    first, second = client.get(f"/s/{survey.code}/"), Client().get(f"/s/{survey.code}/")
    assert first.content != second.content
    assert len(first.content) == len(second.content)
    assert 'name="nonce" value=""' not in first.content.decode()


def test_respondents_get_no_session_and_nothing_is_cached(client: Client) -> None:
    survey = make_open(server_mode_allowed=True)
    for rest in ("", "own-coin/", "server/", "receipt/"):
        response = client.get(f"/s/{survey.code}/{rest}")
        assert "no-store" in response["Cache-Control"]
        assert "require-trusted-types-for" in response["Content-Security-Policy"]
    assert not client.cookies


def test_unknown_codes_do_not_exist(client: Client) -> None:
    for code in ("ZZZZZZ", "sql' OR 1=1--", "%00", "A" * 500):
        for rest in ("", "own-coin/", "server/", "receipt/"):
            assert client.get(f"/s/{code}/{rest}").status_code == 404


def test_a_draft_is_not_open_yet_and_shows_nothing_of_itself(client: Client) -> None:
    draft = make_draft(yes_no("Did you copy?"), title="Copying in class")
    for rest in ("", "own-coin/", "server/", "receipt/"):
        response = client.get(f"/s/{draft.code}/{rest}")
        assert (response.status_code, response.templates[0].name) == (404, "answering/not_yet.html")
        assert "opy" not in text_of(response)


def test_the_promise_says_until_when_answers_are_taken_and_follows_a_change(client: Client) -> None:
    survey = make_open(closes_at=timezone.now() + HOUR, time_zone="Asia/Tokyo")
    for closes_at in (survey.closes_at, timezone.now() + 2 * HOUR):
        Survey.objects.filter(pk=survey.pk).update(closes_at=closes_at)
        assert f"{closes_at.astimezone(survey.zone):%H:%M} (Asia/Tokyo)" in page(client, survey)[1]


def test_a_small_letter_code_leads_to_the_one_address(client: Client) -> None:
    survey = make_open(code="EXAMS2")
    response = client.get(f"/s/{survey.code.lower()}/own-coin/")
    assert (response.status_code, response["Location"]) == (302, f"/s/{survey.code}/own-coin/")


def test_server_mode_does_not_exist_unless_the_author_offers_it(client: Client) -> None:
    survey = make_open()
    assert page(client, survey, "server/")[0] == 404
    assert client.post(f"/s/{survey.code}/server/", {"mode": "server"}, follow=True).status_code == 404


@pytest.mark.parametrize(
    ("close", "status", "reason"),
    [
        (lambda: pause_survey(survey=make_open()), 403, "paused"),
        (lambda: make_open(opens_at=timezone.now() + HOUR), 403, "not_yet"),
        (lambda: close_survey(survey=make_open()), 410, "closed"),
        (lambda: make_open(opens_at=timezone.now() - 2 * HOUR, closes_at=timezone.now() - HOUR), 410, "over"),
    ],
    ids=["paused", "before its hours", "closed", "after its hours"],
)
def test_a_survey_that_takes_nothing_says_why(
    client: Client, close: Callable[[], Survey], status: int, reason: str
) -> None:
    survey = close()
    for rest in ("", "own-coin/"):
        response = client.get(f"/s/{survey.code}/{rest}")
        assert (response.status_code, response.context["reason"]) == (status, reason)


def test_a_full_survey_says_so(client: Client) -> None:
    survey = make_open(response_cap=2)
    assert page(client, survey)[0] == 203
    fill(survey, {"0": 2})
    response = client.get(f"/s/{survey.code}/")
    assert (response.status_code, response.context["reason"]) == (410, "full")


def test_joining_forgives_spaces_and_small_letters(client: Client) -> None:
    survey = make_open()
    typed = f" {survey.code[:3].lower()}-{survey.code[3:]} "
    response = client.get("/join", {"code": typed})
    assert (response.status_code, response["Location"]) == (302, f"/s/{survey.code}/")


def test_joining_names_what_is_wrong_with_the_code(client: Client) -> None:
    responses = [client.get("/join", {"code": typed}) for typed in ("", "O0IL", "\0", "ZZZZZZ")]
    assert {response.status_code for response in responses} == {404}
    missing, letters, sign, unknown = (response.context["error"] for response in responses)
    assert letters == sign
    assert len({missing, letters, unknown}) == 3


def test_a_draft_cannot_be_joined(client: Client) -> None:
    asked, unknown = (client.get("/join", {"code": code}) for code in (make_draft().code, "ZZZZZZ"))
    assert asked.status_code == 404
    assert asked.context["error"] != unknown.context["error"]
