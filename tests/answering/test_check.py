"""What "Check us" says is what holds: the policy, the fields of a request, the chances, the limits."""

import json
import re
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any, cast

import pytest
from django.conf import settings
from django.test import Client, override_settings

from surveys.answering import forms
from surveys.answering.views import check
from surveys.common.words import plural_forms
from surveys.privacy.designs import forced_response, k_ary
from tests.factories import make_open

DOCUMENT = Path(settings.BASE_DIR) / "docs" / "threat-model.md"
# What the threat model does not promise, by how the heading of each limit begins, and where this page says it. Limits
# for those who run a server, not for respondents, are marked so.
FOR_OPERATORS = ""
LIMITS = {
    "Taking part and skipping": "Your participation is not hidden. Nor is the fact that you skipped a question",
    "A malicious server": "A malicious server can send different scripts, to everyone or to you alone.",
    "Your phone and your screen": "A compromised phone, or someone watching your screen, can defeat this protection.",
    "The server's coins": "If you let the server flip for you, you have to trust it while it handles the request.",
    "True answers in the browser": "If a request fails on the way, your browser may",
    "Respondents who do not follow the design": "Flipping again until you like the outcome distorts the results",
    "Watching results live": "So could someone who sees you send your report while results are on the screen.",
    "A server without a proxy": FOR_OPERATORS,
    "Releases of an open survey": "Nor is the fact that you skipped a question",
    "The owner of the database": FOR_OPERATORS,
    "The time of a draw": FOR_OPERATORS,
    "Totals tighter than the charge": FOR_OPERATORS,
    "Unprotected questions": "A question marked “Sent as it is” is not protected",
    "Facts in the head": "Sometimes a harmless question replaces the coins. Anyone who knows your answer to it can",
    "Credit": "A credit receipt can’t be matched with a response. But it can be given away, and a malicious server",
    "Used invitations": "Someone who holds the database and knows who got which invitation can see which invitations",
    "Random arms": "If several sets of questions are given out at random, your set’s number is stored with your",
    "Groups": "Your link’s group is stored with your report. In a group of one, the report cannot come from anyone",
    "The order of rows": "Someone who has the database and saw who answered when could find out what you reported.",
}


def _page(**headers: str) -> str:
    return unescape(Client().get("/check/", headers=headers).content.decode())


def _policy_shown() -> dict[str, str]:
    rows = re.findall(r'<div class="directive"><dt><code>(.*?)</code></dt><dd>(.*?)</dd>', _page())
    return dict(rows)


def _policy_sent() -> set[str]:
    header = Client().get(f"/s/{make_open().code}/")["Content-Security-Policy"]
    return {line.strip() for line in header.split(";")}


@pytest.mark.django_db
def test_the_policy_shown_is_the_one_that_respondents_pages_and_this_one_send() -> None:
    header = Client().get("/check/")["Content-Security-Policy"]
    assert {line.strip() for line in header.split(";")} == set(_policy_shown()) == _policy_sent()


@pytest.mark.django_db
def test_a_policy_changed_in_the_settings_is_shown_changed_and_keeps_no_sentence_that_is_no_longer_true() -> None:
    with override_settings(SECURE_CSP=settings.SECURE_CSP | {"script-src": ["'self'", "https://cdn.example"]}):
        shown = _policy_shown()
        assert set(shown) == _policy_sent()
    altered = next(meaning for line, meaning in shown.items() if "cdn.example" in line)
    assert altered == str(check._NO_MEANING)


def test_every_directive_has_a_sentence_of_its_own() -> None:
    sentences = list(_policy_shown().values())
    assert len(sentences) == len(set(sentences)) == 13
    assert str(check._NO_MEANING) not in sentences


@pytest.mark.django_db
def test_the_page_is_the_same_for_everybody_and_sets_no_cookie() -> None:
    client = Client()
    first, second = client.get("/check/"), Client().get("/check/")
    assert first.content == second.content
    assert not client.cookies
    assert "no-store" not in first["Cache-Control"]
    assert {"public", "no-cache"} <= set(first["Cache-Control"].split(", "))


def test_a_browser_that_has_the_page_gets_no_second_copy() -> None:
    first = Client().get("/check/")
    again = Client().get("/check/", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert Client().get("/check/", headers={"If-None-Match": '"another"'}).status_code == 200


def _coins() -> dict[str, Any]:
    coins = re.search(r'<script id="coins" [^>]*>(.*?)</script>', Client().get("/check/").content.decode())
    assert coins
    return cast("dict[str, Any]", json.loads(coins[1]))


def test_the_chances_are_those_of_the_core() -> None:
    designs = _coins()["designs"]
    expected = [forced_response(), k_ary(4), forced_response(truth="3/5")]
    for sent, design in zip(designs, expected, strict=True):
        columns = [[Fraction(weight, sent["denominator"]) for weight in column] for column in sent["columns"]]
        assert [list(row) for row in zip(*columns, strict=True)] == [list(row) for row in design.matrix]
        assert len(sent["labels"]) == design.m


def test_one_design_has_a_denominator_that_is_no_power_of_two() -> None:
    """With powers of two alone a careless remainder would be fair, and the button would find nothing."""
    assert any(design["denominator"] & (design["denominator"] - 1) for design in _coins()["designs"])


def test_every_design_and_every_true_answer_can_be_chosen() -> None:
    offered = re.findall(r'<option value="(\d)-(\d)">', _page())
    assert offered == [
        (str(number), str(truth))
        for number, design in enumerate(_coins()["designs"])
        for truth in range(len(design["columns"]))
    ]


def test_the_stated_thresholds_are_those_of_the_script() -> None:
    coins = _coins()
    assert (coins["wrong"], coins["unusual"], coins["draws"]) == (1e-6, 0.05, 100_000)
    page = _page()
    assert all(number in page for number in ("0.05", "0.000001"))


def test_counted_sentences_come_in_the_forms_of_the_language() -> None:
    share = _coins()["words"]["share"]
    assert set(share) == {"zero", "one", "two", "few", "many", "other"}
    assert "%(count)s" in share["one"]
    assert share["one"] != share["other"] == share["many"]
    assert plural_forms(str) == {"zero": "0", "one": "1", "two": "2", "few": "3", "many": "1000000", "other": "100"}


def test_every_field_that_each_submission_has_is_explained() -> None:
    assert set(re.findall(r"<dt><code>(\w+)</code></dt>", _page())) >= {*forms._ALWAYS, "reports", "blinded"}


@pytest.mark.parametrize("browser", ["Chrome and Edge", "Firefox", "Safari"])
def test_each_browser_has_its_steps(browser: str) -> None:
    assert f"{browser}:" in _page()


def _limits_of_the_threat_model() -> list[str]:
    section = DOCUMENT.read_text(encoding="utf-8").split("## What is not promised")[1].split("\n## ")[0]
    return re.findall(r"^### (.+)$", section, re.MULTILINE)


def test_what_the_threat_model_does_not_promise_stands_here_too() -> None:
    page, points = _page(), _limits_of_the_threat_model()
    unanswered = [point for point in points if not any(point.startswith(phrase) for phrase in LIMITS)]
    assert unanswered == [], "say it on the page, and name the phrase in LIMITS"
    assert [sentence for sentence in LIMITS.values() if sentence not in page] == []
    assert [phrase for phrase in LIMITS if not any(point.startswith(phrase) for point in points)] == []
