"""Nothing outside the respondent's head depends on the true answer, for every kind of question and every mode.

Where the same reports come of two true answers, everything that a server, a network, the next user of the phone or a
script could see is compared byte by byte, the page while it is shown included: what was drawn stands nowhere.
Leaks are planted at the end of this file, and the same comparison must notice every one of them.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from urllib.parse import parse_qsl, unquote

import pytest
from playwright.sync_api import Page, Route

from surveys.answering.services import perturbing
from surveys.answering.services.perturbing import Truth, perturb
from surveys.answering.views import compressed
from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from surveys.models.definition import Definition
from surveys.models.response import CODES
from tests.browser.answering import FIRST, LAST, answer_all, every_way, fill_in, leave_all_out, tap, truths_of
from tests.browser.conftest import NewContext
from tests.browser.evidence import Evidence, differences
from tests.browser.walk import fix_draws
from tests.factories import make_open, number_bands, number_mean, one_of, scale, several_of, yes_no

NONCE = "abcdefghijklmnopqrstuv"
CSRF_SECRET = "a" * 32
# With fair coins 0 and 3 of 4 send No and Yes for everybody; 1 of 4 passes the true answer on.
PASSES_THE_TRUTH_ON = 1
# A survey of every kind has many steps, so some are looked at while they are shown and others when they are left.
WHILE_SHOWN = ("flip", "practice", "received")
Answering = Callable[..., dict[str, str]]
NewEvidence = Callable[..., tuple[Page, Evidence]]


@pytest.fixture(autouse=True)
def _pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """One nonce and one token for everybody, so that only the answers can differ."""
    monkeypatch.setattr(compressed, "new_nonce", lambda: NONCE)
    monkeypatch.setattr(compressed, "_csrf_token", lambda _request: CSRF_SECRET)


@pytest.fixture
def watched(new_context: NewContext, site: str) -> NewEvidence:
    """Return a function that makes a profile of its own under observation, and forgets the answers before it."""

    def make(*, only: tuple[str, ...] = ("",), **options: object) -> tuple[Page, Evidence]:
        Response.objects.all().delete()
        context = new_context(reduced_motion="reduce", **options)
        context.add_cookies([{"name": "csrftoken", "value": CSRF_SECRET, "url": site}])
        seen = Evidence(context, site, only=only)
        return context.new_page(), seen

    return make


@pytest.fixture
def answering(watched: NewEvidence) -> Answering:
    """Return a function: practises, answers and sends on a device, and returns all that could be observed."""

    def answer(
        survey: Survey,
        truths: Sequence[Truth],
        word: int,
        *,
        practised: int | None = None,
        way: Callable[..., None] = answer_all,
        fault: tuple[str, str, str] | None = None,
        only: tuple[str, ...] = ("",),
    ) -> dict[str, str]:
        page, seen = watched(only=only)
        fix_draws(page, word)
        if fault:
            _plant(page, *fault)
        page.goto(f"/s/{survey.code}/")
        if practised is None:
            page.get_by_role("button", name="Begin").click()
        else:
            page.get_by_role("button", name="Practise first").click()
            _practise(page, practised, seen)
        way(page, definition_of(survey), truths, seen.look)
        page.get_by_role("button", name="Send").click()
        page.get_by_text("Sent. Thank you.").or_(page.locator("#problem:visible")).wait_for()
        page.wait_for_load_state("load")
        seen.look(page, "received")
        found = seen.whole()
        page.context.close()
        return found

    return answer


def _practise(page: Page, truth: int, seen: Evidence) -> None:
    page.locator(f"#practice [role=radio][value='{truth}']").check()
    page.locator("[data-flip]:visible").click()
    seen.look(page, "practice")
    page.locator("[data-next]:visible").click()
    for check in page.locator(f"[data-check] [value={'yes' if truth else 'no'}]").all():
        check.check()
    page.locator("[data-next]:visible").click()
    seen.look(page, "after the practice")


def _plant(page: Page, file: str, place: str, fault: str) -> None:
    """Serve this script with a fault just before a place that occurs once in it."""

    def faulty(route: Route) -> None:
        response = route.fetch()
        source = response.text()
        assert source.count(place) == 1
        route.fulfill(response=response, body=source.replace(place, fault + place))

    page.route(f"**/{file}*.js", faulty)


def _reports(definition: Definition, truths: Sequence[Truth], word: int) -> str:
    return perturb(definition=definition, truths=truths, randbelow=lambda bound: word % bound)


@pytest.mark.parametrize(
    ("word", "variants", "tapped"), [(FIRST, (1, 2, 3), 0), pytest.param(LAST, (0, 4, 5), 1, marks=pytest.mark.slow)]
)
def test_equal_reports_leave_no_difference_between_true_answers(
    answering: Answering, word: int, variants: tuple[int, ...], tapped: int
) -> None:
    survey = make_open(*every_way())
    definition = definition_of(survey)
    answers = [truths_of(definition, variant, tapped=tapped) for variant in variants]
    expected = _reports(definition, answers[0], word)
    found = []
    for practised, truths in enumerate(answers):
        assert _reports(definition, truths, word) == expected
        found.append(answering(survey, truths, word, practised=practised % 2, only=WHILE_SHOWN))
        assert Response.objects.get().reports == expected
    assert [differences(found[0], other) for other in found[1:]] == [[], []]
    assert found[0]["console"] == ""
    shown = [name for name in found[0] if name.startswith(WHILE_SHOWN)]
    assert len(shown) == len(definition.questions) + 2


def test_a_report_looks_the_same_whether_chance_or_the_truth_made_it(answering: Answering) -> None:
    """What was drawn would tell them apart, so it is shown nowhere, not even while the report is."""
    survey = make_open(*every_way())
    definition = definition_of(survey)
    by_chance, true = truths_of(definition, 1), truths_of(definition, 0)
    assert _reports(definition, by_chance, FIRST) == _reports(definition, true, PASSES_THE_TRUTH_ON)
    seen = answering(survey, by_chance, FIRST, practised=1, only=WHILE_SHOWN)
    others = answering(survey, true, PASSES_THE_TRUTH_ON, practised=0, only=WHILE_SHOWN)
    assert differences(seen, others) == []


def test_what_was_chosen_before_a_question_was_left_out_leaves_no_difference(answering: Answering) -> None:
    survey = make_open(
        yes_no(), one_of(leave_out="visibly"), several_of(), scale(leave_out="visibly"), number_mean(),
        number_bands(leave_out="visibly"),
    )  # fmt: skip
    definition = definition_of(survey)
    first, second = (answering(survey, truths_of(definition, variant), FIRST, way=leave_all_out) for variant in (1, 2))
    assert differences(first, second) == []
    assert Response.objects.get().reports == "-" * len(definition.items)


@pytest.mark.slow
def test_the_comparison_sees_reports_that_differ(answering: Answering) -> None:
    survey = make_open(yes_no())
    first, second = (answering(survey, [truth], PASSES_THE_TRUTH_ON) for truth in (0, 1))
    names = {difference.split(":")[0] for difference in differences(first, second)}
    assert {"flip 01", "received", "requests", "database"} <= names
    assert "cookies" not in names, "they hold no report any more once the receipt was shown"


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_real_coins_send_what_was_tapped_and_nothing_else(watched: NewEvidence, *, scripts: bool) -> None:
    survey = make_open(*every_way())
    definition = definition_of(survey)
    for turn, path in enumerate(["own-coin/"] if scripts else ["own-coin/", ""]):
        page, seen = watched(java_script_enabled=scripts)
        reports = "".join(_tapped(item, turn) for item in definition.items)
        page.goto(f"/s/{survey.code}/{path}")
        fields = tap(page, definition, reports)
        page.get_by_role("button", name="Send").locator("visible=true").click()
        page.wait_for_url("**/receipt/")
        always = {"csrfmiddlewaretoken": CSRF_SECRET, "nonce": NONCE, "mode": "own_coin"}
        assert [dict(parse_qsl(body)) for body in seen.posted] == [always | fields]
        assert Response.objects.get().reports == reports
        assert (seen.console, seen.elsewhere) == ([], [])
        assert not [url for url in seen.addresses if "?" in url or (path and url.endswith(".js"))]


def _tapped(item: object, turn: int) -> str:
    """Return the last report, or that the question is left out, where it may be."""
    return "-" if turn and item.can_be_left_out else CODES[item.design.m - 1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("word", [FIRST, pytest.param(LAST, marks=pytest.mark.slow)])
def test_true_answers_given_to_the_server_leave_no_trace_in_what_it_stores_and_says(
    watched: NewEvidence, monkeypatch: pytest.MonkeyPatch, word: int
) -> None:
    monkeypatch.setattr(perturbing, "perturb", partial(perturb, randbelow=lambda bound: word % bound))
    survey = make_open(*every_way(), server_mode_allowed=True)
    definition = definition_of(survey)
    found = []
    for variant in (1, 2) if word == FIRST else (0, 4):
        page, seen = watched()
        page.goto(f"/s/{survey.code}/server/")
        fill_in(page, definition, truths_of(definition, variant))
        page.get_by_role("button", name="Let the server flip").click()
        page.wait_for_url("**/receipt/")
        seen.look(page, "received")
        found.append(seen.whole(bodies=False))
        page.context.close()
    assert differences(*found) == []
    assert found[0]["console"] == ""


# The planted faults.

BEFORE_THE_FLIP = "reports[index] = chosen.map("
LEAKED = "const leaked = chosen.map((choice) => choice.code ?? choice.stepsTo).join();"
WAYS_OUT = """
const mark = (channel) => `${channel}=${leaked};`;
localStorage.setItem("draft", mark("local storage"));
sessionStorage.setItem("draft", mark("session storage"));
indexedDB.open(mark("database"));
caches.open(mark("cache"));
navigator.storage.getDirectory().then((folder) => folder.getFileHandle(mark("file"), { create: true }));
history.replaceState({ draft: mark("history") }, "", `?${mark("query")}#${mark("fragment")}`);
document.cookie = `draft=${mark("cookie")}`;
document.body.dataset.draft = mark("attribute");
document.getElementById("review").append(mark("text"));
window.name = mark("name");
performance.mark(mark("performance"));
console.log(mark("console"));
fetch(`/healthz?${mark("request")}`);
navigator.sendBeacon("/healthz", mark("beacon"));
"""
CHANNELS = re.findall(r'mark\("(.+?)"\)', WAYS_OUT)


def test_every_way_out_of_the_page_is_watched(answering: Answering) -> None:
    survey = make_open(yes_no())
    fault = ("respond", BEFORE_THE_FLIP, LEAKED + WAYS_OUT)
    told = ["\n".join(answering(survey, [truth], FIRST, fault=fault).values()) for truth in (0, 1)]
    told = [unquote(text) for text in told]
    assert len(CHANNELS) == 16
    for truth, text in enumerate(told):
        assert [channel for channel in CHANNELS if f"{channel}={truth}" not in text] == []
        assert [channel for channel in CHANNELS if channel != "cookie" and f"{channel}={1 - truth};" in text] == []


FAULTS = {
    "the choice inside the form": (
        "form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'truth', value: leaked }));"
    ),
    "the one-time number": "form.elements.nonce.value = form.elements.nonce.value.slice(1) + leaked;",
    "one more step back": "if (chosen[0].code) history.pushState(history.state, '');",
    "how long it took": "section.dataset.after = performance.now();",
    "a control that is not cleared": "document.body.append(section.querySelector('[aria-checked=true]').cloneNode());",
}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, id=name, marks=pytest.mark.slow if place > 1 else ())
        for place, (name, fault) in enumerate(FAULTS.items())
    ],
)
@pytest.mark.slow
def test_a_planted_leak_is_noticed(answering: Answering, fault: str) -> None:
    survey = make_open(yes_no())
    planted = ("respond", BEFORE_THE_FLIP, LEAKED + fault)
    first, second = (answering(survey, [truth], FIRST, fault=planted) for truth in (0, 1))
    assert differences(first, second) != []


@pytest.mark.slow
def test_a_leak_of_a_number_alone_and_of_the_practice_alone_is_noticed(answering: Answering) -> None:
    survey = make_open(number_mean())
    of_numbers = ("respond", BEFORE_THE_FLIP, LEAKED + "if (question.range) form.dataset.sent = leaked;")
    first, second = (answering(survey, [Fraction(number)], FIRST, fault=of_numbers) for number in (7, 8))
    assert differences(first, second) != []
    of_practice = ("respond", BEFORE_THE_FLIP, LEAKED + "if (index === 0) form.dataset.sent = leaked;")
    first, second = (answering(survey, [Fraction(7)], FIRST, fault=of_practice, practised=truth) for truth in (0, 1))
    assert differences(first, second) != []


@pytest.mark.slow
def test_a_draw_that_is_shown_is_noticed(answering: Answering) -> None:
    survey = make_open(yes_no())
    kept = ("randomizer", "return word % bound;", "globalThis.document.body.dataset.coin = word % bound;")
    by_chance, true = answering(survey, [1], FIRST, fault=kept), answering(survey, [0], PASSES_THE_TRUTH_ON, fault=kept)
    assert differences(by_chance, true) != []


def test_a_choice_inside_the_form_is_refused_by_the_server(answering: Answering) -> None:
    fault = ("respond", BEFORE_THE_FLIP, LEAKED + FAULTS["the choice inside the form"])
    seen = answering(make_open(yes_no()), [1], FIRST, fault=fault)
    assert "truth=1" in seen["requests"]
    assert "Nothing was stored" in seen["received"]
    assert not Response.objects.exists()
