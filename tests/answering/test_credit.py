"""Whoever answers or declines is given one signature for what is stored, and nobody is given another."""

import secrets
import sys
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.db import OperationalError
from django.http import HttpResponse, QueryDict
from django.test import Client
from pytest_django.fixtures import Settings

from surveys.answering.forms import parse_decline, parse_reports
from surveys.answering.services import collecting
from surveys.answering.services.collecting import Outcome
from surveys.answering.views import pages, receipt
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, pause_survey, purge_survey, seal_survey
from surveys.credit.services import written
from surveys.drafts.services.groups import add_group
from surveys.models import Decline, Invitation, Response, Survey
from surveys.responses.services.folding import fold
from surveys.sharing.services import invite, new_batch
from tests.at_once import at_once, tally
from tests.credit.device import BY_SCRIPT, Device, answer, decline, post
from tests.factories import make_draft, make_open, send, spent_count

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return make_open(credit=True)


WAYS = pytest.mark.parametrize("way", [answer, decline], ids=["answering", "declining"])
Way = Callable[..., HttpResponse]


def _rows() -> int:
    """Return how many submissions are stored, folded or not: what somebody may have a receipt for."""
    return Response.objects.count() + spent_count() + Decline.objects.count()


@WAYS
def test_a_receipt_is_made_of_theanswer(survey: Survey, way: Way) -> None:
    device = Device.at(survey)
    response = way(survey, device)
    assert response.status_code == 200
    assert response.json().keys() == {"receipt", "signature"}
    assert len(device.receipt(response.json()["signature"])) == 427
    assert _rows() == 1


def test_declining_stores_no_answer_and_nothing_that_was_sent(survey: Survey) -> None:
    device = Device.at(survey)
    decline(survey, device)
    assert Response.objects.count() == spent_count() == 0
    row = Decline.objects.values().get()
    assert len(bytes(row.pop("nonce_hash"))) == 16
    assert row == {"survey_id": survey.pk}


@WAYS
def test_the_same_body_again_is_given_the_same_signature_and_makes_no_second_row(survey: Survey, way: Way) -> None:
    device, client = Device.at(survey), Client()
    answers = [way(survey, device, client), way(survey, device, client), way(survey, device)]
    assert len({answer.content for answer in answers}) == 1
    assert _rows() == 1


@WAYS
@pytest.mark.parametrize(
    "move",
    [
        lambda survey: pause_survey(survey=survey),
        lambda survey: close_survey(survey=survey),
        lambda survey: fold(survey=survey, everything=True),
    ],
    ids=["paused", "closed", "folded"],
)
def test_it_still_is_after_the_survey_takes_no_more(survey: Survey, way: Way, move: Callable[[Survey], object]) -> None:
    device, client = Device.at(survey), Client()
    first = way(survey, device, client)
    move(Survey.objects.get(pk=survey.pk))
    assert way(survey, device, client).json() == way(survey, device).json() == first.json()
    assert _rows() == 1


@WAYS
def test_once_the_survey_is_sealed_nothing_is_signed(survey: Survey, way: Way) -> None:
    device = Device.at(survey)
    way(survey, device)
    seal_survey(survey=close_survey(survey=survey))
    response = way(survey, device)
    assert response.status_code == 410
    assert "signature" not in response.json()


@WAYS
def test_while_keys_are_rotated_a_resend_is_known_by_the_earlier_key(
    survey: Survey, way: Way, settings: Settings
) -> None:
    device, client = Device.at(survey), Client()
    first = way(survey, device, client)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "the key after it"
    assert way(survey, device, client).json() == way(survey, device).json() == first.json()
    assert _rows() == 1


@WAYS
def test_another_number_is_another_submission_which_the_browser_may_not_make(survey: Survey, way: Way) -> None:
    client, first = Client(), Device.at(survey)
    way(survey, first, client)
    for other in (Device.at(survey, nonce=first.nonce), Device.at(survey)):
        for again in (answer, decline):
            response = again(survey, other, client)
            assert response.status_code == 409
            assert "signature" not in response.json()
    assert _rows() == 1


@WAYS
def test_one_invitation_is_one_receipt(way: Way) -> None:
    survey = make_open(credit=True, by_invitation=True)
    (token,) = invite(survey=survey, number=1, batch=new_batch()).tokens
    device = Device.at(survey)
    door = f"i/{token}/"
    forms = {
        "": device.answering() if way is answer else device.declining,
        "other": Device.at(survey, nonce=device.nonce).answering(),
        "decline": Device.at(survey).declining,
    }
    first = post(survey, forms[""], door=door if way is answer else f"{door}declined/")
    assert "signature" in first.json()
    assert Invitation.objects.get().spent
    refused = [post(survey, forms["other"], door=door), post(survey, forms["decline"], door=f"{door}declined/")]
    assert [(one.status_code, "signature" in one.json()) for one in refused] == [(410, False)] * 2
    assert _rows() == 1


def test_of_many_at_once_one_invitation_gives_one_receipt(transactional_db: None) -> None:
    survey = Survey.objects.get(pk=make_open(credit=True, by_invitation=True).pk)
    (token,) = invite(survey=survey, number=1, batch=new_batch()).tokens
    devices = [Device.at(survey) for _ in range(20)]
    doors = [f"i/{token}/declined/" if number % 2 else f"i/{token}/" for number in range(20)]
    forms = [device.declining if number % 2 else device.answering() for number, device in enumerate(devices)]

    def submit(number: int) -> str:
        return str("signature" in post(survey, forms[number], door=doors[number]).json())

    assert tally(at_once(*[lambda number=number: submit(number) for number in range(20)])) == {"True": 1, "False": 19}
    assert _rows() == 1


def test_a_decline_that_cannot_be_stored_spends_no_invitation(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(credit=True, by_invitation=True)
    (token,) = invite(survey=survey, number=1, batch=new_batch()).tokens

    monkeypatch.setattr(collecting, "_spend", _fail)
    with pytest.raises(OperationalError):
        decline(survey, Device.at(survey), door=f"i/{token}/")
    assert not Invitation.objects.get().spent
    assert _rows() == 0


def test_other_reports_of_the_same_page_are_refused_without_a_signature(survey: Survey) -> None:
    device = Device.at(survey)
    answer(survey, device, reports="1")
    response = answer(survey, device, reports="0")
    assert response.status_code == 409
    assert "signature" not in response.json()


@pytest.mark.parametrize("folded", [False, True])
def test_a_page_that_has_answered_and_was_not_told_declines_nothing(survey: Survey, *, folded: bool) -> None:
    device = Device.at(survey)
    signature = answer(survey, device).json()["signature"]
    if folded:
        fold(survey=survey, everything=True)
    declined = decline(survey, device)
    assert (declined.status_code, declined.json()["signature"]) == (200, signature)
    assert not Decline.objects.exists()


def test_a_page_that_has_declined_answers_nothing(survey: Survey) -> None:
    device = Device.at(survey)
    decline(survey, device)
    refused = answer(survey, device)
    assert refused.status_code == 409
    assert "signature" not in refused.json()
    assert not Response.objects.exists()


def test_an_answer_without_a_number_is_stored_and_not_signed(survey: Survey) -> None:
    form = Device.at(survey).answering()
    del form["blinded"]
    assert post(survey, form).json().keys() == {"receipt"}
    assert _rows() == 1


def test_skipping_everything_is_an_answer_like_any_other(survey: Survey) -> None:
    assert "signature" in answer(survey, Device.at(survey), reports="-").json()


# Behind every door, and refused there as answers are.


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("invited", [False, True])
def test_declining_is_possible_behind_every_door(grouped: bool, invited: bool) -> None:
    survey = make_open(credit=True, by_invitation=invited)
    door = ""
    if grouped:
        door += f"{add_group(survey=survey, name='Morning').slug}/"
    if invited:
        door += f"i/{invite(survey=survey, number=1, batch=new_batch()).tokens[0]}/"
    device = Device.at(survey)
    response = decline(survey, device, door=door)
    assert response.json()["receipt"] == f"/s/{survey.code}/{door}receipt/"
    device.receipt(response.json()["signature"])


def _full() -> Survey:
    survey = make_open(credit=True, response_cap=1)
    send(survey, "1")
    return survey


REFUSING: dict[str, Callable[[], tuple[Survey, str]]] = {
    "draft": lambda: (make_draft(credit=True), ""),
    "paused": lambda: (pause_survey(survey=make_open(credit=True)), ""),
    "closed": lambda: (close_survey(survey=make_open(credit=True)), ""),
    "sealed": lambda: (seal_survey(survey=close_survey(survey=make_open(credit=True))), ""),
    "purged": lambda: (purge_survey(survey=close_survey(survey=make_open(credit=True))), ""),
    "full": lambda: (_full(), ""),
    "without an invitation": lambda: (make_open(credit=True, by_invitation=True), ""),
    "unknown invitation": lambda: (make_open(credit=True, by_invitation=True), f"i/{'A' * 26}/"),
    "malformed invitation": lambda: (make_open(credit=True, by_invitation=True), "i/x/"),
    "no such group": lambda: (make_open(credit=True), "nobody/"),
    "needs no invitation": lambda: (make_open(credit=True), f"i/{'A' * 26}/"),
}


@pytest.mark.parametrize("why", REFUSING)
@pytest.mark.parametrize("script", [True, False])
def test_declining_is_refused_as_answering_is(why: str, script: bool) -> None:
    survey, door = REFUSING[why]()
    device = Device.at(survey if definition_of(survey).credit_key else make_open(credit=True))
    rows, headers = _rows(), BY_SCRIPT if script else {}
    answered, declined = (
        Client().post(f"/s/{survey.code}/{door}{page}", form, headers=headers)
        for page, form in (("", device.answering()), ("declined/", device.declining))
    )
    assert declined.status_code == answered.status_code >= 400
    assert declined.content == answered.content
    assert b"signature" not in declined.content
    assert _rows() == rows


def test_an_unknown_code_is_unknown_here_too(client: Client) -> None:
    assert client.post("/s/NOSUCH/declined/", {}).status_code == 404


def test_a_form_without_a_script_is_answered_by_a_redirect_or_in_words(survey: Survey) -> None:
    client, device = Client(), Device.at(survey)
    sent = client.post(f"/s/{survey.code}/declined/", device.declining)
    assert (sent.status_code, sent["Location"]) == (303, f"/s/{survey.code}/receipt/")
    assert client.get(sent["Location"]).status_code == 200
    assert Decline.objects.count() == 1
    refused = Client().post(f"/s/{survey.code}/declined/", {"nonce": device.nonce})
    assert refused.status_code == 400
    assert refused["Content-Type"].startswith("text/html")


def test_a_survey_that_gives_no_credit_has_no_such_page(client: Client) -> None:
    survey, device = make_open(), Device.at(make_open(credit=True))
    response = decline(survey, device, client)
    assert response.status_code == 404
    assert not client.cookies
    assert _rows() == 0


def test_declining_is_sent_and_not_looked_at(client: Client, survey: Survey) -> None:
    assert client.get(f"/s/{survey.code}/declined/").status_code == 405


# What is no number of a page is refused, and nothing is half stored.


def _numbers(survey: Survey) -> dict[str, str]:
    modulus, device = Device.at(survey).modulus, Device.at(survey)
    numbers = {"zero": 0, "one": 1, "minus one": modulus - 1, "the modulus": modulus, "above it": modulus + 5}
    return {name: written(number.to_bytes(256)) for name, number in numbers.items()} | {
        "nothing": "",
        "short": device.blinded[:-1],
        "long": device.blinded + "A",
        "padded": device.blinded + "==",
        "plus and slash": "+/" * 171,
        "words": "canary",
        "other script": "Ä" * 342,
        "no character": "\0" * 342,
        "the same number otherwise": device.blinded[:-1] + chr(ord(device.blinded[-1]) + 1),
    }


BAD = ["zero", "one", "minus one", "the modulus", "above it", "nothing", "short", "long", "padded", "plus and slash",
       "words", "other script", "no character", "the same number otherwise"]  # fmt: skip


@WAYS
@pytest.mark.parametrize("name", BAD)
def test_a_damaged_number_is_refused_by_name_and_nothing_is_stored(survey: Survey, way: Way, name: str) -> None:
    blinded = _numbers(survey)[name]
    form = Device.at(survey).answering() if way is answer else Device.at(survey).declining
    definition = definition_of(survey)
    response = post(survey, form | {"blinded": blinded}, door="" if way is answer else "declined/")
    assert response.status_code == 400
    assert response.json().keys() == {"error"}
    assert blinded not in response.json()["error"] or not blinded
    assert not response.cookies
    assert _rows() == 0
    with pytest.raises(collecting.InvalidSubmission) as refused:
        _parsed(form | {"blinded": blinded}, definition)
    assert refused.value.field == "blinded"


def _parsed(form: dict[str, str], definition: object) -> object:
    parse = parse_reports if "mode" in form else parse_decline
    return parse(QueryDict(urlencode(form)), definition)  # type: ignore[arg-type]


@pytest.mark.parametrize("nonce", ["", "short", "x" * 23, "ü" * 22])
def test_a_damaged_nonce_is_refused_by_name(survey: Survey, nonce: str) -> None:
    device = Device.at(survey)
    for cookies in (False, True):
        client = Client()
        if cookies:
            answer(survey, Device.at(survey), client)
        rows = _rows()
        response = post(survey, device.declining | {"nonce": nonce}, client, door="declined/")
        assert response.status_code == 400
        assert _rows() == rows


@WAYS
def test_a_field_of_another_name_or_sent_twice_is_refused(survey: Survey, way: Way) -> None:
    form = Device.at(survey).answering() if way is answer else Device.at(survey).declining
    door = "" if way is answer else "declined/"
    for more in ({"serial": "1"}, {"blinded": [form["blinded"]] * 2}):
        response = Client().post(f"/s/{survey.code}/{door}", form | more, headers=BY_SCRIPT)
        assert response.status_code == 400
    assert _rows() == 0


def test_only_a_device_on_a_survey_with_credit_may_send_a_number(survey: Survey) -> None:
    plain = make_open(server_mode_allowed=True)
    serving = make_open(credit=True, server_mode_allowed=True)
    blinded = {"blinded": Device.at(survey).blinded, "nonce": collecting.new_nonce()}
    sent = [
        post(plain, blinded | {"mode": "device", "reports": "1"}),
        post(survey, blinded | {"mode": "own_coin", "item-1": "1"}),
        post(serving, blinded | {"mode": "server", "answer-1": "1"}, door="server/"),
    ]
    assert [answer.status_code for answer in sent] == [400, 400, 400]
    assert _rows() == 0


# The hot path of all other surveys.


def test_a_survey_without_credit_needs_nothing_of_all_this(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "surveys.credit.blind", None)  # importing it fails
    survey = make_open()
    form = {"mode": "device", "reports": "1", "nonce": collecting.new_nonce()}
    assert [post(survey, form).status_code, post(survey, form).status_code] == [200, 200]


# Attacks, and faults that they have to find: a signature is for what is stored, and of each submission there is one.


def _signatures(monkeypatch: pytest.MonkeyPatch, attack: Callable[[], object]) -> int:
    """Return how many different numbers were signed in an attack, also where no answer carried the signature out."""
    signed: set[str] = set()
    signing = receipt.sign

    def sign(survey: Survey, blinded: str) -> str:
        signed.add(blinded)
        return signing(survey, blinded)

    with monkeypatch.context() as watching:
        watching.setattr(receipt, "sign", sign)
        attack()
    return len(signed)


def _resends(survey: Survey) -> None:
    """One page sends again and again, each time with a number of its own; with its cookie and without."""
    client, nonce = Client(), collecting.new_nonce()
    for number in range(6):
        for way in (answer, decline):
            way(survey, Device.at(survey, nonce=nonce), client if number % 2 else None)


def _refusals(survey: Survey) -> None:
    """Everything that is refused: altered, incomplete, too late."""
    device, client = Device.at(survey), Client()
    answer(survey, device, client)
    answer(survey, device, reports="0")
    answer(survey, Device.at(survey), reports="2")
    answer(survey, Device.at(survey), client)
    decline(survey, Device.at(survey), client)
    pause_survey(survey=survey)
    answer(survey, Device.at(survey))
    decline(survey, Device.at(survey))


def _failing(survey: Survey) -> None:
    """The database fails in the middle: nothing is stored."""
    with pytest.MonkeyPatch.context() as failing:
        failing.setattr(collecting, "_stored", _fail)
        for way in (answer, decline):
            with pytest.raises(OperationalError):
                way(survey, Device.at(survey))


def _fail(*_: object) -> bool:
    raise OperationalError("the disk is full")


ATTACKS = {"resends": _resends, "refusals": _refusals, "failing": _failing}


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_more_is_signed_than_is_stored(survey: Survey, monkeypatch: pytest.MonkeyPatch, attack: str) -> None:
    assert _signatures(monkeypatch, lambda: ATTACKS[attack](survey)) <= _rows()


def _hash_the_nonce_alone(planting: pytest.MonkeyPatch) -> None:
    hashed = collecting._nonce_hashes
    planting.setattr(collecting, "_nonce_hashes", lambda survey_id, nonce, _blinded: hashed(survey_id, nonce, ""))


def _sign_what_was_refused(planting: pytest.MonkeyPatch) -> None:
    planting.setattr(collecting, "collect", lambda **_: Outcome.KEPT)


def _sign_first(planting: pytest.MonkeyPatch) -> None:
    storing = pages._stored

    def stored(request: object, door: object, submission: object) -> str:
        receipt.sign(door.survey, submission.blinded)  # type: ignore[attr-defined]
        return storing(request, door, submission)  # type: ignore[arg-type]

    planting.setattr(pages, "_stored", stored)


@pytest.mark.parametrize(
    ("fault", "attack"),
    [(_hash_the_nonce_alone, "resends"), (_sign_what_was_refused, "refusals"), (_sign_first, "failing")],
)
def test_planted_faults_are_found_so(
    survey: Survey, monkeypatch: pytest.MonkeyPatch, fault: Callable[[pytest.MonkeyPatch], None], attack: str
) -> None:
    with monkeypatch.context() as planting:
        fault(planting)
        signed = _signatures(planting, lambda: ATTACKS[attack](survey))
    assert signed > _rows()


def test_what_a_page_draws_is_told_to_nobody(survey: Survey) -> None:
    """Neither serial nor prefix nor signature of the receipt is in what the browser sends or is sent."""
    device = Device.at(survey)
    response = answer(survey, device)
    seen = response.content.decode() + str(response.headers) + str(response.cookies) + str(device.answering())
    made = device.receipt(response.json()["signature"])
    parts = [made[start : start + 20] for start in range(0, len(made) - 20, 20)]
    assert not [part for part in parts if part in seen]
    assert response.json()["signature"] in seen


def test_a_class_that_answers_and_declines_has_as_many_receipts_as_people(survey: Survey) -> None:
    made = set()
    for number in range(12):
        device = Device.at(survey)
        way = decline if secrets.randbelow(2) or number == 0 else answer
        made.add(device.receipt(way(survey, device).json()["signature"]))
    assert len(made) == _rows() == 12
