"""The public page and its JSON: one stored draw, the same bytes for everybody and for ever."""

import json
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.models import Mechanism, Release
from surveys.selectors import releases
from surveys.selectors.release_terms import rounded_up
from surveys.services import releasing
from tests.factories import make_admin, one_of
from tests.releases.setting import make_release, published_release, ready_survey

pytestmark = pytest.mark.django_db

THREE = {"0": 150, "1": 100, "2": 50}


def _addresses(release: Release) -> tuple[str, str]:
    return f"/r/{release.pk}/", f"/r/{release.pk}.json"


@pytest.mark.parametrize("mechanism", Mechanism.values)
def test_a_thousand_refreshes_are_the_same_bytes(client: Client, mechanism: str) -> None:
    release = published_release(ready_survey(THREE, one_of()), mechanism=mechanism)
    for address in _addresses(release):
        assert len({client.get(address).content for _ in range(500)}) == 1


def test_everybody_gets_the_same_bytes_and_no_cookie(client: Client) -> None:
    release = published_release(ready_survey())
    for address in _addresses(release):
        anonymous = client.get(address)
        client.force_login(make_admin())
        signed_in = client.get(address, headers={"accept-language": "de", "user-agent": "other"})
        client.logout()
        assert anonymous.content == signed_in.content
        assert not anonymous.cookies
        assert not signed_in.cookies


def test_a_release_may_be_kept_for_a_minute_and_asked_for_again_by_its_etag(client: Client) -> None:
    release = published_release(ready_survey())
    for address in _addresses(release):
        answer = client.get(address)
        assert answer["Cache-Control"] == "public, max-age=60"
        assert client.get(address, headers={"if-none-match": answer["ETag"]}).status_code == 304
        assert client.post(address).status_code == 405


def test_refreshing_charges_nothing(client: Client) -> None:
    release = published_release(ready_survey())
    for address in _addresses(release):
        client.get(address)
    assert release.survey.budget.spent_epsilon == Fraction(1, 2)


def test_an_unpublished_a_withdrawn_and_an_unknown_release_do_not_exist(client: Client) -> None:
    user = make_admin()
    client.force_login(user)
    hidden = make_release(ready_survey())
    withdrawn = published_release(ready_survey())
    releasing.withdraw(release=withdrawn, user=user)
    for key in (hidden.pk, withdrawn.pk, "nothing"):
        assert [client.get(f"/r/{key}{end}").status_code for end in ("/", ".json")] == [404, 404]


def _fixed(monkeypatch: pytest.MonkeyPatch, output: dict[str, Any]) -> None:
    monkeypatch.setattr(releasing, "draw", lambda *_: output)


def test_the_page_of_a_histogram_tells_people_and_experts(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    _fixed(monkeypatch, {"noisy_counts": [580, 420]})
    release = published_release(ready_survey({"0": 610, "1": 390}), epsilon=Fraction(1))
    page = client.get(f"/r/{release.pk}/").content.decode()
    # Fair coins: (0.42 − 0.25)/0.5 = 0.34.
    assert "about <strong>34</strong> would truly answer “Yes”" in page
    told = [
        "Replace one response (REPLACE_ONE)",
        "local ε = 1.099",
        "central ε = 1",
        "ε is at most 0.4707",
        "Refreshing this page costs nothing",
        f"/r/{release.pk}.json",
        "1000. This number is public",
    ]
    assert [words for words in told if words not in page] == []


def test_the_page_of_a_choice_names_it_and_its_shortfall(client: Client) -> None:
    release = published_release(ready_survey(THREE, one_of()), mechanism=Mechanism.MOST_COMMON)
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert f"<strong>“{release.output['label']}”</strong>" in page
    assert "falls short of the largest one by at most 33 of 300" in page


def test_a_release_that_says_nothing_says_so(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    _fixed(monkeypatch, {"noisy_counts": [-1_900, 2_000]})
    release = published_release(ready_survey(), epsilon=Fraction(1, 1000))
    assert "this release says nothing" in client.get(f"/r/{release.pk}/").content.decode()


def test_impossible_estimates_are_shown_raw_beside_possible_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    _fixed(monkeypatch, {"noisy_counts": [995, 5]})
    reading = releases.reading_of(published_release(ready_survey({"0": 990, "1": 10})))
    yes = reading.estimates[1]
    assert yes.raw < 0
    assert (yes.share, yes.low) == (0, 0)


def test_the_json_document_is_complete_and_exact(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    _fixed(monkeypatch, {"noisy_counts": [580, 420]})
    release = published_release(ready_survey({"0": 610, "1": 390}), epsilon=Fraction(1, 3_125))
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    estimates = document.pop("estimates")
    assert document == {
        "id": release.pk,
        "survey": "Exams",
        "question": "Have you ever cheated in an exam?",
        "labels": ["No", "Yes"],
        "released_on": release.created_at.date().isoformat(),
        "mechanism": "laplace_histogram",
        "epsilon": "1/3125",
        "delta": "0",
        "neighbouring_relation": "REPLACE_ONE",
        "sensitivity": "1",
        "n": 1000,
        "design": {
            "name": "forced_response",
            "content_hash": release.survey.content_hash,
            "rows": "reports",
            "columns": "true answers",
            "matrix": [["3/4", "1/4"], ["1/4", "3/4"]],
        },
        "output": {"noisy_counts": [580, 420]},
        "confidence_level": 0.95,
        "accuracy": document["accuracy"],
        "intervals": "each",
        "epsilon_of_all_releases_so_far": "1/3125",
        # Upwards, so that nothing is claimed to give away less than it does: ln 3, and half of 1/3125.
        "epsilon_of_one_report": 1.09861229,
        "epsilon_for_the_truth": pytest.approx(0.00016, rel=1e-6),
    }
    assert [(row["label"], row["raw"], row["share"]) for row in estimates] == [("No", 0.66, 0.66), ("Yes", 0.34, 0.34)]


def test_the_json_of_a_choice_has_no_estimates(client: Client) -> None:
    release = published_release(ready_survey(THREE, one_of()), mechanism=Mechanism.MOST_COMMON)
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    assert (document["output"], document["estimates"]) == (release.output, [])


def test_text_in_a_survey_is_shown_as_text(client: Client) -> None:
    release = published_release(ready_survey(None, title="<script>alert(1)</script>"))
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert "&lt;script&gt;" in page
    assert "<script" not in page


def test_the_interval_of_the_largest_of_several_answers_survives_its_being_chosen(client: Client) -> None:
    """Read off the largest of k answers, each interval at 95%, and fewer than 95 of 100 releases would be right."""
    reading = releases.reading_of(published_release(ready_survey(THREE, one_of())))
    assert reading.level_of_each == pytest.approx(1 - 0.05 / 3)
    page = client.get(f"/r/{reading.release.pk}/").content.decode()
    assert "the intervals of the other answers hold at the same time" in page
    assert releases.document_of(reading)["intervals"] == "all at once (Bonferroni)"


def test_a_choice_that_chance_alone_made_says_so(client: Client) -> None:
    release = published_release(
        ready_survey(THREE, one_of()), mechanism=Mechanism.MOST_COMMON, epsilon=Fraction(1, 1_000_000)
    )
    assert (
        "this says nothing about which true answer is most common" in client.get(f"/r/{release.pk}/").content.decode()
    )


@pytest.mark.parametrize(
    ("value", "digits", "printed"),
    [
        (0.4706152, 4, 0.4707),
        (5e-7, 4, 5e-7),
        (0.1, 4, 0.1),
        (1.0986122887, 9, 1.09861229),
        (12.0, 2, 12.0),
        (0.0, 3, 0.0),
    ],
)
def test_what_is_promised_at_most_is_rounded_up(value: float, digits: int, printed: float) -> None:
    assert rounded_up(value, digits) == printed
