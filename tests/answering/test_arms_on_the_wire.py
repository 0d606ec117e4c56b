"""Arms look alike on the network, and a form is taken as the arm that its page was dealt, whatever it says."""

import gzip
import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings

from surveys.answering.views import compressed
from surveys.models import Response, Survey
from tests.answering.test_sending import BY_SCRIPT, stored
from tests.factories import INNOCUOUS, SENSITIVE, item_count, make_open, one_of, plain, several_of, yes_no
from tests.questionnaire.test_translations import BOTH

pytestmark = pytest.mark.django_db
ARMS = [{"name": "Long", "weight": 1}, {"name": "Short", "weight": 1}, {"name": "Lists", "weight": 1}]
EARLIER, NEXT = "the-key-before" * 4, "the-next-key" * 4
PATHS = ["", "own-coin/", "server/"]
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


@pytest.fixture
def survey() -> Survey:
    return make_open(
        *(yes_no(f"Asked of the first arm alone, number {number}?", arms=[1]) for number in range(9)),
        several_of(arms=[1]),
        yes_no("Short?", arms=[2]),
        item_count(arms=[3], quantity=1, leave_out="visibly"),
        item_count((*INNOCUOUS, SENSITIVE), arms=[1], quantity=1, leave_out="visibly"),
        plain(),
        arms=ARMS,
        server_mode_allowed=True,
    )


def _in(arm: int, *, compressing: bool = False) -> Client:
    client = Client(headers={"Accept-Encoding": "gzip" if compressing else "identity"})
    client.cookies["deniable_arm"] = str(arm)
    return client


def _forms(page: HttpResponse) -> list[tuple[dict[str, str], str]]:
    """Return the hidden fields of each form of a page, and what stands in it."""
    parts = [part.partition("</form>")[0] for part in page.content.decode().split("<form")[1:]]
    return [(dict(_HIDDEN.findall(part)), part) for part in parts if 'name="nonce"' in part]


def _controls(form: str) -> dict[str, str]:
    """Return what is sent where the first choice is made everywhere."""
    controls: dict[str, str] = {}
    for name, value in re.findall(r'<input type="radio"[^>]* name="([\w.-]+)"[^>]* value="(.)"', unescape(form)):
        controls.setdefault(name, value)
    return controls


def _body(survey: Survey, arm: int, path: str) -> dict[str, str]:
    """Return what a browser sends from one of the forms of this arm."""
    fields, form = _forms(_in(arm).get(f"/s/{survey.code}/{path}"))[-1]
    if fields["mode"] != "device":
        return fields | _controls(form)
    items = {1: 9 + 3 + 1 + 1, 2: 2, 3: 2}[arm]
    return fields | {"reports": "0" * items}


def _send(survey: Survey, arm: int, path: str, fields: dict[str, str], **headers: str) -> tuple[Client, HttpResponse]:
    client = _in(arm)
    to = "server/" if path == "server/" else ""
    return client, client.post(f"/s/{survey.code}/{to}", fields, headers=headers)


def _lengths(response: HttpResponse) -> tuple[int, list[tuple[str, int]]]:
    """Return how long a body is and its headers are, with those of cookies."""
    headers = [(name, len(value)) for name, value in response.items()]
    return len(response.content), headers + [
        (name, len(morsel.OutputString())) for name, morsel in response.cookies.items()
    ]


@pytest.mark.parametrize("compressing", [False, True])
@pytest.mark.parametrize("path", PATHS)
def test_the_questions_of_every_arm_are_equally_long(survey: Survey, path: str, *, compressing: bool) -> None:
    pages = [_in(arm, compressing=compressing).get(f"/s/{survey.code}/{path}") for arm in (1, 2, 3)]
    assert len({str(_lengths(page)) for page in pages}) == 1
    read = [gzip.decompress(page.content) if compressing else page.content for page in pages]
    assert len(set(map(len, read))) == 1
    assert [b"Short?" in html for html in read] == [False, True, False]


@pytest.mark.parametrize("path", PATHS)
def test_what_every_arm_sends_and_is_answered_is_equally_long(survey: Survey, path: str) -> None:
    lengths = set()
    for arm in (1, 2, 3):
        fields = _body(survey, arm, path)
        client, answer = _send(survey, arm, path, fields)
        assert answer.status_code == 303
        receipts = []
        for compressing in (False, True):
            client.cookies["deniable_receipt"] = answer.cookies["deniable_receipt"].value
            encoding = "gzip" if compressing else "identity"
            receipts.append(client.get(answer["Location"], headers={"Accept-Encoding": encoding}))
        assert "Short?" in receipts[0].content.decode() if arm == 2 else b"Short?" not in receipts[0].content
        assert gzip.decompress(receipts[1].content) == receipts[0].content
        lengths.add(str((len(urlencode(fields)), _lengths(answer), *map(_lengths, receipts))))
    assert len(lengths) == 1
    assert Response.objects.count() == 3


@pytest.mark.parametrize("compressing", [False, True])
def test_a_form_that_comes_back_is_as_long_in_every_arm(survey: Survey, *, compressing: bool) -> None:
    lengths = set()
    for arm in (1, 2, 3):
        hidden, _form = _forms(_in(arm).get(f"/s/{survey.code}/own-coin/"))[0]
        back = _in(arm, compressing=compressing).post(f"/s/{survey.code}/", hidden)
        assert back.status_code == 400
        missing = _in(arm, compressing=compressing).get(f"/s/{survey.code}/server/?missing=1,2")
        lengths.add(str((_lengths(back), _lengths(missing))))
    assert len(lengths) == 1


@pytest.mark.parametrize("language", ["en", "de", "he"])
def test_arms_are_equally_long_in_every_language(language: str) -> None:
    survey = make_open(yes_no(arms=[1]), one_of(arms=[2]), arms=ARMS[:2], translations=BOTH)
    lengths = set()
    for arm in (1, 2):
        client = _in(arm)
        client.cookies["deniable_language"] = language
        page = client.get(f"/s/{survey.code}/")
        assert page["Content-Language"] == language
        lengths.add(len(page.content))
    assert len(lengths) == 1


def test_a_page_that_nobody_padded_would_differ(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed.CompressedPage, "add_name", lambda *_: None)
    pages = [_in(arm, compressing=True).get(f"/s/{survey.code}/") for arm in (1, 2, 3)]
    assert len({len(page.content) for page in pages}) > 1


@pytest.mark.parametrize("path", PATHS)
def test_a_form_is_not_taken_as_another_arm(survey: Survey, path: str) -> None:
    fields = _body(survey, 2, path)
    for arm in (fields["arm"].replace("2.", "3.", 1), "3", "2", "2.", "", "3." + "a" * 43):
        _client, refused = _send(survey, 2, path, fields | {"arm": arm}, **BY_SCRIPT)
        assert (refused.status_code, set(refused.json())) == (400, {"error"})
    assert stored() == []


@pytest.mark.parametrize("path", PATHS)
def test_a_signature_is_of_one_page_one_survey_and_one_arm(survey: Survey, path: str) -> None:
    fields, other = _body(survey, 2, path), _body(survey, 3, path)
    assert fields.keys() - {"reports"} <= other.keys() | fields.keys()
    _client, moved = _send(survey, 2, path, fields | {"arm": other["arm"]}, **BY_SCRIPT)
    assert moved.status_code == 400
    twin = make_open(yes_no(arms=[1]), one_of(arms=[2]), plain(), arms=ARMS[:2], server_mode_allowed=True)
    _client, elsewhere = _send(twin, 2, path, fields, **BY_SCRIPT)
    assert elsewhere.status_code == 400
    assert stored() == []


def test_taps_stand_in_the_form_again_where_its_arm_was_altered(survey: Survey) -> None:
    fields = _body(survey, 2, "own-coin/")
    client, refused = _send(survey, 2, "own-coin/", fields | {"arm": fields["arm"].replace("2.", "1.", 1)})
    html = refused.content.decode()
    assert (refused.status_code, list(vars(refused)["context"]["problems"])) == (400, ["arm"])
    ((again, form),) = _forms(refused)
    assert (again["arm"][:2], "Short?" in html) == ("2.", True)
    assert len(re.findall(r"<input[^>]* checked", form)) == 2
    assert client.post(f"/s/{survey.code}/", again | _controls(form)).status_code == 303
    assert [mode for mode, _ in stored()] == ["own_coin"]


def test_a_form_that_shows_no_arm_at_all_comes_back_in_the_arm_of_this_browser(survey: Survey) -> None:
    fields = _body(survey, 2, "own-coin/") | {"arm": "2.nonsense"}
    _client, refused = _send(survey, 2, "own-coin/", fields)
    assert _forms(refused)[0][0]["arm"].startswith("2.")
    elsewhere = Client().post(f"/s/{survey.code}/", fields)
    assert elsewhere.status_code == 400
    assert _forms(elsewhere) == []


def test_true_answers_in_a_form_of_an_altered_arm_are_let_go_of(survey: Survey) -> None:
    _client, refused = _send(survey, 2, "server/", _body(survey, 2, "server/") | {"arm": "1.x"})
    assert (refused.status_code, refused["Location"]) == (303, f"/s/{survey.code}/server/?refused=400")
    assert stored() == []


@override_settings(SECRET_KEY=EARLIER)
def test_a_page_is_taken_while_its_key_is_among_the_earlier_ones(survey: Survey) -> None:
    fields = _body(survey, 2, "")
    with override_settings(SECRET_KEY=NEXT, SECRET_KEY_FALLBACKS=[]):
        assert _send(survey, 2, "", fields, **BY_SCRIPT)[1].status_code == 400
    with override_settings(SECRET_KEY=NEXT, SECRET_KEY_FALLBACKS=[EARLIER]):
        assert _send(survey, 2, "", fields, **BY_SCRIPT)[1].status_code == 200
