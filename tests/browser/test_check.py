""" "Check us" in a real Chromium: its arithmetic, its verdict on honest and on planted randomizers, its manners."""

import re
from urllib.parse import parse_qs

import numpy as np
import pytest
from playwright.sync_api import Error, Page, Request, Route, expect
from scipy import special, stats

from surveys.models import Response
from tests.browser.audit import Looks, Setting
from tests.browser.conftest import NewContext
from tests.browser.walk import begin, choose, flip
from tests.factories import make_open, yes_no

DRAWS = 100_000
# The other true answer of a design that `make test` has flipped already.
SLOW = pytest.mark.slow
FIELDS = {"nonce", "mode", "reports"}
OF_ARMS = {"arm", "padding"}
ARMS = [{"name": "Coins", "weight": 1}, {"name": "The same", "weight": 1}]

SURVIVAL = """(cells) => import("/static/js/chi_squared.js").then((m) => cells.map(([x, df]) => m.survival(x, df)))"""
STATISTIC = """([counts, expected]) => import("/static/js/chi_squared.js").then((m) => m.statistic(counts, expected))"""

# Randomizers that a careless or malicious server could send in the place of ours.
BYTES = """export const drawReport = (columns, denominator, truth) => {
  const truthful = crypto.getRandomValues(new Uint8Array(1))[0] % 100 < 75;
  return truthful ? truth : 1 - truth;
};"""
ALWAYS_THE_TRUTH = "export const drawReport = (columns, denominator, truth) => truth;"
NO_SUCH_REPORT = "export const drawReport = () => -1;"
STOPS = "export const drawReport = () => { throw new Error('broken on purpose'); };"
# No chance at all, so that the verdict is known beforehand: so many reports No, then Yes.
COUNTED = """let drawn = 0;
export const drawReport = () => (drawn++ < {no} ? 0 : 1);"""
COUNTS_ITS_CALLS = """globalThis.calls = 0;
export const drawReport = () => (globalThis.calls++ % 4 < 3 ? 0 : 1);"""


def _plant(page: Page, randomizer: str) -> None:
    def answer(route: Route) -> None:
        route.fulfill(body=randomizer, content_type="text/javascript")

    page.route("**/js/randomizer*.js", answer)


def _flip(page: Page, choice: str = "0-0") -> str:
    """Press the button and return the verdict."""
    page.goto("/check/")
    page.locator("#choice").select_option(choice)
    page.get_by_role("button", name="Flip 100,000 times").click()
    verdict = page.locator("#verdict p").first
    verdict.wait_for(timeout=30_000)
    return page.locator("#verdict").inner_text()


def _number(page: Page, name: str) -> float:
    return float(page.locator(f"#{name}").inner_text())


def _table(page: Page) -> list[list[str]]:
    return [row.split("\t") for row in page.locator("#counts tr").all_inner_texts()]


# The arithmetic.


def test_the_survival_function_is_scipys_on_a_grid(page: Page) -> None:
    page.goto("/check/")
    statistics = [0.0, *np.geomspace(1e-12, 1400, 120).tolist(), *np.linspace(7.5, 8.5, 41).tolist()]
    cells = [(x, degrees) for degrees in [*range(1, 31, 4), 30, 99, 100] for x in statistics]
    found = np.array(page.evaluate(SURVIVAL, cells))
    x, degrees = np.array(cells).T
    assert np.abs(found - special.gammaincc(degrees / 2, x / 2)).max() < 1e-12
    assert np.abs(found - special.chdtrc(degrees, x)).max() < 1e-12
    # A small tail has as many right digits as a large one.
    large_enough = special.chdtrc(degrees, x) > 1e-290
    assert np.abs(found / special.chdtrc(degrees, x) - 1)[large_enough].max() < 1e-10


def test_beyond_the_grid_the_survival_function_ends_at_zero(page: Page) -> None:
    page.goto("/check/")
    found = page.evaluate(
        "import('/static/js/chi_squared.js').then((m) => [m.survival(Infinity, 3), m.survival(1e9, 2)])"
    )
    assert found == [0, 0]


def test_the_survival_function_refuses_what_it_is_not_for(page: Page) -> None:
    page.goto("/check/")
    for arguments in ((1, 0), (1, 101), (1, 1.5), (-1, 1), (None, None), ("NaN", 1)):
        with pytest.raises(Error, match="must be"):
            page.evaluate(SURVIVAL, [arguments])


def test_the_statistic_is_scipys(page: Page) -> None:
    page.goto("/check/")
    counts, expected = [62_301, 12_688, 12_498, 12_513], [62_500, 12_500, 12_500, 12_500]
    assert page.evaluate(STATISTIC, [counts, expected]) == pytest.approx(stats.chisquare(counts, expected).statistic)


def test_a_report_that_cannot_happen_strays_infinitely_far_and_its_absence_does_not(page: Page) -> None:
    page.goto("/check/")
    infinite = f"([arguments]) => ({STATISTIC})(arguments).then((x) => x === Infinity)"
    assert page.evaluate(infinite, [[[99, 1], [100, 0]]])
    assert page.evaluate(STATISTIC, [[100, 0], [100, 0]]) == 0


# The button.


@pytest.mark.parametrize(
    "choice", ["0-0", "2-1", *(pytest.param(other, marks=SLOW) for other in ("0-1", "1-0", "1-3"))]
)
def test_an_honest_browser_gets_no_bad_verdict_and_every_coin_is_counted(page: Page, choice: str) -> None:
    """A false alarm comes in one of a million runs."""
    verdict = _flip(page, choice)
    assert "Something is wrong" not in verdict
    assert "fit the design" in verdict or "Unusual" in verdict
    rows = _table(page)
    counted = [int(row[3].replace(",", "")) for row in rows]
    expected = [int(row[2].replace(",", "")) for row in rows]
    assert sum(counted) == sum(expected) == DRAWS
    shown, tested = page.locator("#p-value").inner_text(), stats.chisquare(counted, expected)
    # Written with two places: off by half a unit at most, a tie (5/8 as 0.63) included.
    assert abs(_number(page, "statistic") - tested.statistic) <= 0.005 + 1e-9
    assert float(shown) == pytest.approx(tested.pvalue, rel=0.06)
    assert _number(page, "degrees") == len(rows) - 1


def test_the_table_states_the_chances_of_the_chosen_design(page: Page) -> None:
    _flip(page, "1-1")
    assert [row[:3] for row in _table(page)] == [
        ["Answer A", "1 of 8", "12,500"],
        ["Answer B", "5 of 8", "62,500"],
        ["Answer C", "1 of 8", "12,500"],
        ["Answer D", "1 of 8", "12,500"],
    ]
    assert page.locator("#chosen").inner_text() == "Four answers, truth: Answer B"


def test_numbers_are_written_as_in_the_language_of_the_page(new_context: NewContext) -> None:
    page = new_context(locale="de-DE").new_page()
    page.goto("/check/")
    page.locator("#flip").click()
    page.locator("#verdict p").first.wait_for(timeout=30_000)
    assert [row[2] for row in _table(page)] == ["75.000", "25.000"]


@pytest.mark.parametrize(
    ("randomizer", "choice"),
    [
        (BYTES, "0-0"),
        (ALWAYS_THE_TRUTH, "2-1"),
        pytest.param(ALWAYS_THE_TRUTH, "1-2", marks=SLOW),
        pytest.param(BYTES, "0-1", marks=SLOW),
        pytest.param(ALWAYS_THE_TRUTH, "0-0", marks=SLOW),
    ],
)
@pytest.mark.slow
def test_a_planted_biased_randomizer_gets_the_bad_verdict(page: Page, randomizer: str, choice: str) -> None:
    _plant(page, randomizer)
    verdict = _flip(page, choice)
    assert "Something is wrong: these counts do not come from the stated chances." in verdict
    assert "not even one strays as far" in verdict
    assert page.locator("#p-value").inner_text() == "below 0.000001"
    expect(page.locator("#verdict")).to_have_class("notice error")


@pytest.mark.parametrize("randomizer", [NO_SUCH_REPORT, STOPS])
@pytest.mark.slow
def test_a_planted_randomizer_that_does_not_work_gets_the_bad_verdict_and_no_table(page: Page, randomizer: str) -> None:
    _plant(page, randomizer)
    assert "the script that adds chance stopped" in _flip(page)
    expect(page.locator("#result")).to_be_hidden()
    expect(page.locator("#verdict")).to_have_class("notice error")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strays", "verdict", "meaning"),
    [
        pytest.param(0, "fit the design", "Of 100 honest runs about 100 stray", marks=SLOW),
        pytest.param(200, "fit the design", "Of 100 honest runs about 14 stray", marks=SLOW),
        (-268, "fit the design", "Of 100 honest runs about 5 stray"),
        (269, "Unusual", "Of 100 honest runs about 5 stray"),
        pytest.param(-340, "Unusual", "Of 100 honest runs about 1 strays", marks=SLOW),
        pytest.param(530, "Unusual", "Of 9,200 honest runs about one strays", marks=SLOW),
        (-669, "Unusual", "Of 970,000 honest runs about one strays"),
        (670, "Something is wrong", "Of a million honest runs not even one"),
    ],
)
def test_the_verdict_and_its_meaning_follow_the_p_value(page: Page, strays: int, verdict: str, meaning: str) -> None:
    counts = [75_000 + strays, 25_000 - strays]
    p = stats.chisquare(counts, [75_000, 25_000]).pvalue
    assert ("fit the design" if p >= 0.05 else "Unusual" if p >= 1e-6 else "Something is wrong") == verdict
    _plant(page, COUNTED.format(no=counts[0]))
    said = _flip(page)
    assert verdict in said
    assert meaning in said


def test_the_page_breathes_while_it_counts_and_sends_nothing(page: Page) -> None:
    asked: list[str] = []
    page.goto("/check/", wait_until="networkidle")
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(
        """() => {
          globalThis.seen = new Set();
          const bar = document.getElementById("progress");
          globalThis.timer = setInterval(() => bar.hidden || seen.add(bar.value), 1);
        }"""
    )
    page.get_by_role("button", name="Flip").click()
    page.locator("#verdict p").first.wait_for(timeout=30_000)
    assert page.evaluate("clearInterval(timer), seen.size") >= 10
    expect(page.locator("#progress")).to_be_hidden()
    assert asked == []
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]


@pytest.mark.slow
def test_pressing_twice_flips_once(page: Page) -> None:
    _plant(page, COUNTS_ITS_CALLS)
    page.goto("/check/")
    page.evaluate("() => { const button = document.getElementById('flip'); button.click(); button.click(); }")
    page.locator("#verdict p").first.wait_for(timeout=30_000)
    assert page.evaluate("calls") == DRAWS
    expect(page.get_by_role("button", name="Flip")).not_to_have_attribute("aria-disabled", "true")


def test_without_scripts_the_page_says_what_the_button_would_do(new_context: NewContext) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/check/")
    expect(page.get_by_text("It would show a table of how often each answer came")).to_be_visible()
    expect(page.get_by_role("button", name="Flip")).to_be_hidden()


@pytest.mark.slow
def test_a_script_that_does_not_load_leaves_those_words_in_place(page: Page) -> None:
    page.route("**/js/randomizer*.js", lambda route: route.abort())
    page.goto("/check/", wait_until="networkidle")
    expect(page.get_by_text("The button appears when scripts run")).to_be_visible()
    expect(page.get_by_role("button", name="Flip")).to_be_hidden()


def test_the_keyboard_is_enough(page: Page) -> None:
    page.goto("/check/")
    page.locator("#choice").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#verdict p").first.wait_for(timeout=30_000)
    expect(page.locator("#chosen")).to_have_text("Two fair coins, truth: Yes")
    expect(page.get_by_role("button", name="Flip")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("region", name="Two fair coins")).to_be_focused()  # it can scroll on a narrow phone
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Chance strays, so counts never fit exactly.")).to_be_visible()


# Manners.


def test_axe_finds_nothing_and_the_console_is_silent(new_context: NewContext, looks: Looks) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    settings = tuple(Setting(width, dark=dark) for width in (320, 390, 1280) for dark in (False, True))
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto("/check/")
    before = looks.faults(page, settings)
    for summary in page.locator("summary").all():
        summary.click()
    page.get_by_role("button", name="Flip").click()
    page.locator("#verdict p").first.wait_for(timeout=30_000)
    assert before + looks.faults(page, settings) == []
    assert [text for text in said if "Permissions-Policy header: Unrecognized feature" not in text] == []


@pytest.mark.parametrize("randomizer", [ALWAYS_THE_TRUTH, COUNTED.format(no=75_300)])
def test_axe_finds_nothing_beside_the_other_verdicts(new_context: NewContext, randomizer: str, looks: Looks) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    _plant(page, randomizer)
    _flip(page)
    assert looks.faults(page, (Setting(390), Setting(390, dark=True))) == []


def test_everything_to_press_is_large_enough(page: Page) -> None:
    page.goto("/check/")
    small = page.locator("button:visible, summary:visible, select:visible").evaluate_all(
        "elements => elements.filter(e => e.getBoundingClientRect().height < 44).map(e => e.outerHTML)"
    )
    assert small == []


def test_trusted_types_are_enforced_here_too(page: Page) -> None:
    page.goto("/check/")
    thrown = page.evaluate("() => { try { document.body.innerHTML = 'x'; return ''; } catch (e) { return e.name; } }")
    assert thrown == "TypeError"


def test_the_front_page_leads_here(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name=re.compile("Check us")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check us")


# What the page says about a survey's requests.


def _posts(page: Page) -> list[Request]:
    posts: list[Request] = []
    page.on("request", lambda request: posts.append(request) if request.method == "POST" else None)
    return posts


@pytest.mark.parametrize("arms", [[], ARMS], ids=["everybody", "arms"])
def test_a_survey_sends_the_fields_that_this_page_explains_and_no_other(page: Page, arms: list[object]) -> None:
    posts = _posts(page)
    begin(page, make_open(yes_no(), arms=arms))
    choose(page, "Yes")
    flip(page)
    assert posts == []
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/receipt/")
    (request,) = posts
    sent = parse_qs(request.post_data or "", keep_blank_values=True)
    assert set(sent) == FIELDS | (OF_ARMS if arms else set())
    page.goto("/check/")
    page.get_by_text("Watch what is sent").click()
    assert set(page.locator("#watch-title dl dt code").all_inner_texts()) == FIELDS | OF_ARMS


def test_a_survey_flips_with_the_network_off_and_sends_nothing(new_context: NewContext) -> None:
    context = new_context()
    page = context.new_page()
    begin(page, make_open(yes_no()))
    context.set_offline(True)
    choose(page, "No")
    flip(page)
    page.get_by_role("button", name="Send").click()
    page.wait_for_timeout(500)
    expect(page.get_by_role("heading", name="It will send")).to_be_visible()
    assert Response.objects.count() == 0
