"""The whole way through every kind of question breaks no policy, asks no other site and uses no weak chance."""

import pytest
from playwright.sync_api import Page, Route

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from tests.browser.answering import answer_all, every_way, fill_in, tap, truths_of
from tests.browser.conftest import NewContext
from tests.browser.evidence import Evidence
from tests.factories import make_open, yes_no

COUNT_WEAK_CHANCE = """window.weak = 0;
const random = Math.random;
Math.random = () => { window.weak += 1; return random(); };"""
# Every way in which text could become markup, a script or its address.
SINKS = {
    "innerHTML": "document.createElement('p').innerHTML = text",
    "outerHTML": "document.body.appendChild(document.createElement('p')).outerHTML = text",
    "insertAdjacentHTML": "document.body.insertAdjacentHTML('beforeend', text)",
    "a parsed document": "new DOMParser().parseFromString(text, 'text/html')",
    "a fragment": "document.createRange().createContextualFragment(text)",
    "srcdoc": "document.createElement('iframe').srcdoc = text",
    "the text of a script": "document.createElement('script').text = text",
    "the address of a script": "document.createElement('script').src = text",
    "a worker": "new Worker(text)",
    "eval": "eval(text)",
    "a function": "new Function(text)",
    "document.write": "document.write(text)",
    "a policy of its own": "trustedTypes.createPolicy('own', { createHTML: String })",
}
OPEN_SINKS = """() => Object.entries({SINKS}).filter(([, write]) => {
  try { write("/x"); return true; } catch { return false; }
}).map(([name]) => name)"""


def _open_sinks(page: Page) -> list[str]:
    writes = ", ".join(f"{name!r}: (text) => {{ {write}; }}" for name, write in SINKS.items())
    sinks: list[str] = page.evaluate(OPEN_SINKS.replace("{SINKS}", f"{{ {writes} }}"))
    return sinks


def _answer_everything(page: Page, survey: Survey) -> int:
    """Answer on the device; return how often weak chance was asked."""
    definition = definition_of(survey)
    page.goto(f"/s/{survey.code}/")
    page.locator("#practise").click()
    page.locator("[role=radio]:visible").first.check()
    page.locator("[data-flip]:visible").click()
    page.locator("[data-next]:visible").click()
    page.locator("[data-check] [role=radio]").first.check()
    page.locator("[data-next]:visible").click()
    answer_all(page, definition, truths_of(definition, 1), lambda *_: None)
    page.locator("#review summary").click()
    weak: int = page.evaluate("window.weak")
    page.locator("#sending [type=submit]").click()
    page.wait_for_url("**/receipt/")
    return weak + int(page.evaluate("window.weak"))


def test_every_mode_breaks_no_policy_asks_no_other_site_and_uses_no_weak_chance(
    new_context: NewContext, site: str
) -> None:
    survey = make_open(*every_way(), server_mode_allowed=True)
    definition = definition_of(survey)
    seen = []
    for mode in ("device", "own_coin", "server"):
        context = new_context(reduced_motion="reduce")
        context.add_init_script(COUNT_WEAK_CHANCE)
        seen.append(Evidence(context, site))
        page = context.new_page()
        if mode == "device":
            assert _answer_everything(page, survey) == 0
        elif mode == "own_coin":
            page.goto(f"/s/{survey.code}/own-coin/")
            tap(page, definition, "0" * len(definition.items))
        else:
            page.goto(f"/s/{survey.code}/server/")
            fill_in(page, definition, truths_of(definition, 1))
        if mode != "device":
            page.locator("form [type=submit]").click()
            page.wait_for_url("**/receipt/")
        page.reload()
        page.goto(f"/s/{survey.code}/")
    assert [evidence.console for evidence in seen] == [[], [], []]
    assert [evidence.elsewhere for evidence in seen] == [[], [], []]


IN_A_FLIP = "if (chosen === null) return;"
FAULTS = {
    "weak chance": ("randomizer", "let word = nextWord();", "let word = Math.floor(Math.random() * 2 ** 32);"),
    "a style": ("respond", IN_A_FLIP, f"{IN_A_FLIP} section.setAttribute('style', 'color: red');"),
    "markup": ("respond", IN_A_FLIP, f"{IN_A_FLIP} try {{ document.body.innerHTML = ''; }} catch {{}}"),
    "a request elsewhere": ("respond", IN_A_FLIP, f"{IN_A_FLIP} fetch('http://elsewhere.test/').catch(() => 0);"),
    "a window elsewhere": ("respond", IN_A_FLIP, f"{IN_A_FLIP} open('http://elsewhere.test/');"),
}


@pytest.mark.parametrize(
    "fault",
    [
        "weak chance",
        "a request elsewhere",
        *(pytest.param(name, marks=pytest.mark.slow) for name in list(FAULTS)[1:3] + list(FAULTS)[4:]),
    ],
)
@pytest.mark.slow
def test_planted_faults_are_noticed(new_context: NewContext, site: str, fault: str) -> None:
    file, right, wrong = FAULTS[fault]

    def faulty(route: Route) -> None:
        response = route.fetch()
        source = response.text()
        assert source.count(right) == 1
        route.fulfill(response=response, body=source.replace(right, wrong))

    context = new_context()
    context.route("http://elsewhere.test/", lambda route: route.fulfill(body=""))
    context.add_init_script(COUNT_WEAK_CHANCE)
    seen = Evidence(context, site)
    page = context.new_page()
    page.route(f"**/{file}*.js", faulty)
    weak = _answer_everything(page, make_open(yes_no()))
    assert (weak > 0) == (fault == "weak chance")
    assert (seen.elsewhere != []) == (fault == "a window elsewhere")
    assert (seen.console != []) == (fault in {"a style", "markup", "a request elsewhere"})


def test_text_becomes_markup_or_script_on_no_page_of_a_respondent(new_context: NewContext, site: str) -> None:
    survey = make_open(yes_no(), server_mode_allowed=True)
    add_group(survey=survey, name="North")
    closed, invited = make_open(), make_open(by_invitation=True)
    close_survey(survey=closed)
    page = new_context().new_page()
    door = f"/s/{survey.code}/"
    addresses = [
        door, f"{door}own-coin/", f"{door}server/", f"{door}receipt/", f"{door}north/", f"{door}nosuch/",
        f"/s/{closed.code}/", f"/s/{invited.code}/", f"/s/{invited.code}/i/{'A' * 26}/",
    ]  # fmt: skip
    open_sinks = {}
    for address in addresses:
        page.goto(address)
        open_sinks[address] = _open_sinks(page)
    nonce = {"name": "deniable_done", "value": "1", "url": f"{site}{door}"}
    page.context.add_cookies([nonce])
    page.goto(door)
    assert page.get_by_role("link", name="View receipt").is_visible()
    open_sinks["already"] = _open_sinks(page)
    assert {address: sinks for address, sinks in open_sinks.items() if sinks} == {}


def test_without_trusted_types_the_sinks_would_be_open(page: Page) -> None:
    """The planted fault is the landing page, which belongs to no respondent."""
    page.goto("/")
    assert {"innerHTML", "outerHTML", "insertAdjacentHTML", "srcdoc", "a fragment"} <= set(_open_sinks(page))
