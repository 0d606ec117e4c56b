"""Nothing outside the respondent's head depends on the true answer, for every kind and design, in every arm and mode.

Where the same reports come of two true answers, everything that a server, a network, the next user of the phone or a
script could see is compared byte by byte, the page while it is shown included: what was drawn stands nowhere. Where no
device adds chance, a tap is compared with the same one after another tap. What is walked comes from the registries.
Leaks are planted at the end of this file, and the same comparison must notice every one of them.
"""

import json
import logging
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from urllib.parse import parse_qsl, unquote

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, Route

from surveys.answering.services import perturbing
from surveys.answering.services.perturbing import Truth, perturb
from surveys.answering.views import compressed
from surveys.answering.views.arms import signature_of
from surveys.answering.words.own_chance import possible_with_coins
from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import LeaveOut
from surveys.questionnaire.reports import CODES
from tests.browser.answering import (
    FIRST,
    LAST,
    answer_all,
    every_way,
    fill_in,
    leave_all_out,
    other_than,
    server_fields,
    tap,
    truths_of,
)
from tests.browser.combinations import COMBINATIONS, WALKED, Combination, open_walk
from tests.browser.conftest import NewContext
from tests.browser.evidence import Evidence, Logs, differences, rows
from tests.browser.walk import fix_draws
from tests.factories import make_open, number_bands, number_mean, one_of, scale, several_of, yes_no

NONCE = "abcdefghijklmnopqrstuv"
# With fair coins 0 and 3 of 4 send No and Yes for everybody; 1 of 4 passes the true answer on.
PASSES_THE_TRUTH_ON = 1
# A survey of every kind has many steps, so some are looked at while they are shown and others when they are left.
WHILE_SHOWN = ("flip", "practice", "received")
Answering = Callable[..., dict[str, str]]
NewEvidence = Callable[..., tuple[Page, Evidence]]
Truths = Sequence[Truth]
Walk = Callable[[Sequence[Combination]], tuple[Survey, Sequence[Definition]]]
# The quick tests walk the representative ones, with the draw that comes out alike for two truths in each of them.
LOTS = [
    pytest.param(
        lot,
        word,
        id=f"{lot[0].kind}-{lot[0].design}-{word}",
        marks=() if (lot, word) == (WALKED[0], LAST) else pytest.mark.slow,
    )
    for lot in WALKED
    for word in (LAST, FIRST)
]


@pytest.fixture(autouse=True)
def _pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """One nonce for everybody, so that only the answers can differ."""
    monkeypatch.setattr(compressed, "new_nonce", lambda: NONCE)


@pytest.fixture
def watched(new_context: NewContext, site: str) -> NewEvidence:
    """Return a function that makes a profile of its own under observation, and forgets the answers before it."""

    def make(
        met: Definition | None = None, *, only: tuple[str, ...] = ("",), **options: object
    ) -> tuple[Page, Evidence]:
        Response.objects.all().delete()
        context = new_context(reduced_motion="reduce", **options)
        if met and met.arm:
            address = f"{site}/s/{met.code}/"
            context.add_cookies([{"name": "deniable_arm", "value": str(met.arm.number), "url": address}])
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
        met: Definition | None = None,
    ) -> dict[str, str]:
        page, seen = watched(met, only=only)
        fix_draws(page, word)
        if fault:
            _plant(page, *fault)
        page.goto(f"/s/{survey.code}/")
        if practised is None:
            page.get_by_role("button", name="Start survey").click()
        else:
            page.get_by_role("button", name="Practise first").click()
            _practise(page, practised, seen)
        way(page, met or definition_of(survey), truths, seen.look)
        page.get_by_role("button", name="Send").click()
        page.get_by_text("Sent. Thank you.").or_(page.locator("#problem:visible")).wait_for()
        page.wait_for_load_state("load")
        seen.look(page, "received")
        evidence = seen.snapshot()
        page.context.close()
        return evidence

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


def _reports(definition: Definition, truths: Truths, word: int) -> str:
    return perturb(definition=definition, truths=truths, randbelow=lambda bound: word % bound)


@pytest.fixture
def walk(monkeypatch: pytest.MonkeyPatch) -> Walk:
    """Return a function that opens a survey of all that is given, and returns what its arms meet."""
    # More than a survey may ask of anybody, so that few pages show everything.
    monkeypatch.setattr(settings, "EPSILON_CAP", 1000)

    def opened(lot: Sequence[Combination]) -> tuple[Survey, Sequence[Definition]]:
        survey = open_walk(lot)
        return survey, definition_of(survey).each_arm

    return opened


def _two_truths(met: Definition, word: int) -> tuple[list[Truth], list[Truth], set[int]]:
    """Return two answers of which come equal reports, and the numbers of the questions in which they differ."""
    variants = [truths_of(met, variant, tapped=1) for variant in range(6)]
    reports = [_reports(met, truths, word) for truths in variants]
    one, other = list(variants[0]), list(variants[0])
    differ: set[int] = set()
    for question in met.questions:
        places = slice(question.first.number, question.first.number + len(question.items))
        pairs = (
            (first, second)
            for place, first in enumerate(variants)
            for second, reported in zip(variants[:place], reports, strict=False)
            if first[places] != second[places] and reports[place][places] == reported[places]
        )
        if pair := next(pairs, None):
            one[places], other[places] = pair[0][places], pair[1][places]
            differ.add(question.number)
    assert _reports(met, one, word) == _reports(met, other, word)
    return one, other, differ


def _drawn(met: Definition) -> set[int]:
    """Return the numbers of the questions whose reports a device or the server draws."""
    return {question.number for question in met.questions if not question.tapped}


def test_every_kind_every_design_and_every_way_of_leaving_out_is_walked() -> None:
    """By the quick tests too; what a registry has and no factory makes fails as soon as it is asked."""
    for walked in (WALKED[0], [combination for lot in WALKED for combination in lot]):
        assert {combination.kind for combination in walked} == {kind.name for kind in kinds.every()}
        assert {combination.design for combination in walked} == {design.name for design in designs.every()}
        assert {combination.leave_out for combination in walked} == set(LeaveOut)
    assert sorted(map(str, COMBINATIONS)) == sorted(str(combination) for lot in WALKED for combination in lot)
    for unknown in (Combination("unheard_of", "k_ary", "no"), Combination("yes_no", "unheard_of", "no")):
        with pytest.raises((AttributeError, ValueError)):
            unknown.drafts(1)


@pytest.mark.django_db
@pytest.mark.parametrize("lot", WALKED, ids=lambda lot: f"{lot[0].kind}-{lot[0].design}")
def test_of_every_draw_two_truths_with_equal_reports_are_compared(walk: Walk, lot: Sequence[Combination]) -> None:
    survey, arms = walk(lot)
    asked = sum(len(met.questions) for met in arms)
    assert asked == sum(combination.arms for combination in lot)
    for met in arms:
        assert {number for word in (FIRST, LAST) for number in _two_truths(met, word)[2]} == _drawn(met)
        if lot == WALKED[0]:
            assert _two_truths(met, LAST)[2] == _drawn(met)
    assert survey.questionnaire.arms == [] or len(arms) > 1


@pytest.mark.parametrize(("lot", "word"), LOTS)
def test_equal_reports_leave_no_difference_between_true_answers(
    answering: Answering, walk: Walk, lot: Sequence[Combination], word: int
) -> None:
    survey, arms = walk(lot)
    for met in arms:
        one, other, _differ = _two_truths(met, word)
        evidence = []
        for turn, truths in enumerate((one, other)):
            way = partial(answer_all, hesitating=bool(turn))
            practised = turn if _drawn(met) else None
            evidence.append(answering(survey, truths, word, practised=practised, way=way, only=WHILE_SHOWN, met=met))
            assert Response.objects.get().reports == met.stored(_reports(met, one, word))
        assert differences(*evidence) == []
        assert evidence[0]["console"] == ""
        shown = [name for name in evidence[0] if name.startswith(WHILE_SHOWN)]
        assert len(shown) == len(met.questions) + 1 + bool(_drawn(met))


def test_credit_leaves_no_difference_between_true_answers(answering: Answering) -> None:
    survey = make_open(yes_no(), one_of(), credit=True)
    first, second = (answering(survey, [truth, truth], FIRST) for truth in (0, 1))
    assert differences(first, second) == []
    assert "blinded=" in first["requests"]
    assert first["console"] == ""
    # The page still stands with the receipt, and with nothing of what was sent.
    received = json.loads(first["received"])
    assert "credit-code" in received["dom"]
    assert not [value for name, value, *_ in received["controls"] if name in {"reports", "blinded"} and value]


def test_a_leak_into_the_number_that_is_sent_for_credit_is_noticed(answering: Answering) -> None:
    survey = make_open(yes_no(), credit=True)
    blinded = "form.elements.blinded.value"
    into_the_number = f"{blinded} = {blinded}.slice(0, 99) + leaked + {blinded}.slice(100);"
    fault = ("respond", BEFORE_THE_FLIP, LEAKED + into_the_number)
    first, second = (answering(survey, [truth], FIRST, fault=fault) for truth in (0, 1))
    assert "requests" in {difference.split(":")[0] for difference in differences(first, second)}


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


def _with_coins(
    watched: NewEvidence, met: Definition, path: str, *, turn: int, scripts: bool = True, leak: str = ""
) -> dict[str, str]:
    """Tap reports at once, or after others, and return all that could be observed."""
    page, seen = watched(met, java_script_enabled=scripts)
    if leak:
        page.add_init_script(leak)
    reports = CODES[1] * len(met.items)
    page.goto(f"/s/{met.code}/{path}")
    fields = tap(page, met, reports, hesitating=bool(turn))
    page.get_by_role("button", name="Send").locator("visible=true").click()
    page.wait_for_url("**/receipt/")
    always = {"nonce": NONCE, "mode": "own_coin"} | _of_arm(met)
    sent = [{name: value for name, value in parse_qsl(body) if name != "padding"} for body in seen.posted]
    assert sent == [always | fields]
    assert Response.objects.get().reports == met.stored(reports)
    if not leak:
        assert (seen.console, seen.elsewhere) == ([], [])
        assert not [url for url in seen.addresses if "?" in url or (path and url.endswith(".js"))]
    seen.look(page, "received")
    evidence = seen.snapshot()
    page.context.close()
    return evidence


def _of_arm(met: Definition) -> dict[str, str]:
    return {"arm": f"{met.arm.number}.{signature_of(met, NONCE)}"} if met.arm else {}


@pytest.mark.parametrize(
    ("lot", "scripts"),
    [(WALKED[0], True), *(pytest.param(lot, False, marks=pytest.mark.slow) for lot in WALKED)],
)
def test_real_coins_send_what_was_tapped_last_and_nothing_else(
    watched: NewEvidence, walk: Walk, lot: Sequence[Combination], *, scripts: bool
) -> None:
    """No device knows what is true there; what was tapped before could tell it."""
    _survey, arms = walk(lot)
    walked = [met for met in arms if possible_with_coins(met)]
    assert walked
    for met in walked:
        # Without scripts the form stands on the page of the questions too.
        path = "own-coin/" if scripts else ""
        evidence = [_with_coins(watched, met, path, turn=turn, scripts=scripts) for turn in (0, 1)]
        assert differences(*evidence) == []


def test_what_was_skipped_with_real_coins_is_sent_as_skipped(watched: NewEvidence) -> None:
    survey = make_open(*every_way())
    definition = definition_of(survey)
    page, seen = watched(java_script_enabled=False)
    page.goto(f"/s/{survey.code}/")
    reports = "".join("-" if item.can_be_left_out else CODES[item.design.m - 1] for item in definition.items)
    fields = tap(page, definition, reports)
    page.get_by_role("button", name="Send").locator("visible=true").click()
    page.wait_for_url("**/receipt/")
    always = {"nonce": NONCE, "mode": "own_coin"}
    assert [dict(parse_qsl(body)) for body in seen.posted] == [always | fields]
    assert Response.objects.get().reports == reports


def _by_the_server(met: Definition, truths: Truths, word: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Send true answers to the server as its form does; return all that it says, keeps and logs."""
    Response.objects.all().delete()
    logs, client = Logs(), Client()
    with monkeypatch.context() as drawing:
        drawing.setattr(perturbing, "perturb", partial(perturb, randbelow=lambda bound: word % bound))
        address = f"/s/{met.code}/server/"
        fields = {"mode": "server", "nonce": NONCE} | _of_arm(met) | server_fields(met, truths)
        answers = [client.post(address, fields)]
    answers += [client.get(page) for page in (answers[0]["Location"], address, answers[0]["Location"])]
    observed = {
        f"answer {number}": f"{answer.status_code} {dict(answer.items())} {answer.cookies} {answer.content!r}"
        for number, answer in enumerate(answers)
    }
    assert [answer.status_code for answer in answers] == [303, 200, 200, 200]
    return observed | {"database": repr(rows()), "logs": "\n".join(logs.taken())}


@pytest.mark.django_db
@pytest.mark.parametrize("lot", WALKED, ids=lambda lot: f"{lot[0].kind}-{lot[0].design}")
def test_what_the_server_says_keeps_and_logs_shows_no_true_answer(
    walk: Walk, lot: Sequence[Combination], monkeypatch: pytest.MonkeyPatch
) -> None:
    _survey, arms = walk(lot)
    for met, word in ((met, word) for met in arms for word in (FIRST, LAST)):
        one, other, _differ = _two_truths(met, word)
        evidence = [_by_the_server(met, truths, word, monkeypatch) for truths in (one, other)]
        assert differences(*evidence) == []
        assert Response.objects.get().reports == met.stored(_reports(met, one, word))


@pytest.mark.slow
@pytest.mark.parametrize(("lot", "word"), [(WALKED[0], LAST), (WALKED[0], FIRST)])
def test_true_answers_given_to_the_server_leave_no_trace_in_the_browser(
    watched: NewEvidence, walk: Walk, lot: Sequence[Combination], word: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _survey, arms = walk(lot)
    monkeypatch.setattr(perturbing, "perturb", partial(perturb, randbelow=lambda bound: word % bound))
    for met in arms:
        evidence = []
        for turn, truths in enumerate(_two_truths(met, word)[:2]):
            page, seen = watched(met)
            page.goto(f"/s/{met.code}/server/")
            if turn:
                fill_in(page, met, [other_than(truth) for truth in truths])
            fill_in(page, met, truths)
            page.locator("main [type=submit]").click()
            page.wait_for_url("**/receipt/")
            seen.look(page, "received")
            evidence.append(seen.snapshot(bodies=False))
            page.context.close()
        assert differences(*evidence) == []
        assert evidence[0]["console"] == ""


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
    texts = ["\n".join(answering(survey, [truth], FIRST, fault=fault).values()) for truth in (0, 1)]
    texts = [unquote(text) for text in texts]
    assert len(CHANNELS) == 16
    for truth, text in enumerate(texts):
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
@pytest.mark.parametrize(("lot", "word"), [(WALKED[0], LAST)])
def test_a_leak_of_any_question_of_the_walk_is_noticed(
    answering: Answering, walk: Walk, lot: Sequence[Combination], word: int
) -> None:
    """Else a question would be walked with one truth only, or with one that never comes to the page."""
    survey, arms = walk(lot)
    fault = ("respond", BEFORE_THE_FLIP, LEAKED + "localStorage[index] = leaked;")
    for met in arms:
        one, other, _differ = _two_truths(met, word)
        evidence = [answering(survey, truths, word, fault=fault, only=WHILE_SHOWN, met=met) for truths in (one, other)]
        leaked = [json.loads(each["received"])["local"] for each in evidence]
        different = {int(index) for index in leaked[0] if leaked[0][index] != leaked[1][index]}
        assert (different, differences(*evidence) != []) == (_drawn(met), bool(_drawn(met)))


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
    assert "so nothing was stored" in seen["received"]
    assert not Response.objects.exists()


ON_THE_FIRST_TAP = "addEventListener('change', (event) => {{ const tap = event.target.value; {} }}, {{ once: true }});"
FIRST_TAPS = {
    "a request": "fetch(`/healthz?${tap}`);",
    "a cookie": "document.cookie = `first=${tap}`;",
    "the storage": "localStorage.first = tap;",
}


@pytest.mark.parametrize(
    "leak",
    [
        pytest.param(ON_THE_FIRST_TAP.format(leak), id=name, marks=pytest.mark.slow if place else ())
        for place, (name, leak) in enumerate(FIRST_TAPS.items())
    ],
)
def test_a_first_tap_with_real_coins_that_leaks_is_noticed(watched: NewEvidence, leak: str) -> None:
    met = definition_of(make_open(yes_no()))
    evidence = [_with_coins(watched, met, "own-coin/", turn=turn, leak=leak) for turn in (0, 1)]
    assert differences(*evidence) != []


def _logged(truths: Truths) -> None:
    logging.getLogger("surveys").warning("%s", truths)


def _stored(truths: Truths) -> None:
    Survey.objects.get().groups.update_or_create(slug="truths", defaults={"name": f"of {truths}"})


@pytest.mark.django_db
@pytest.mark.parametrize(("leak", "where"), [(_logged, "logs"), (_stored, "database")])
def test_a_server_that_leaks_is_noticed(
    monkeypatch: pytest.MonkeyPatch, leak: Callable[[Truths], None], where: str
) -> None:
    met = definition_of(make_open(yes_no(), server_mode_allowed=True))

    def leaking(definition: Definition, truths: Truths, randbelow: Callable[[int], int]) -> str:
        leak(truths)
        return honest(definition=definition, truths=truths, randbelow=randbelow)

    honest = perturb
    monkeypatch.setitem(globals(), "perturb", leaking)
    evidence = [_by_the_server(met, truths, FIRST, monkeypatch) for truths in ([0], [1])]
    assert where in {difference.split(":")[0] for difference in differences(*evidence)}


@pytest.mark.django_db
def test_a_server_whose_answer_tells_the_truth_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    met = definition_of(make_open(yes_no(), server_mode_allowed=True))
    evidence = [_by_the_server(met, [truth], PASSES_THE_TRUTH_ON, monkeypatch) for truth in (0, 1)]
    assert {"answer 0", "answer 1", "database"} <= {difference.split(":")[0] for difference in differences(*evidence)}
