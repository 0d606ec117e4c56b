""" "Check us" in a real Chromium: its arithmetic, its verdict on honest and on planted randomizers, its manners."""

import re
from urllib.parse import parse_qs

import numpy as np
import pytest
from playwright.sync_api import Error, Page, Request, Route, expect
from scipy import special, stats

from tests.browser.audit import Looks, Setting
from tests.browser.conftest import NewContext
from tests.browser.walk import begin, choose, flip
from tests.factories import make_open, yes_no

DRAWS = 100_000
# The other true answer of a design that `make test` has flipped already.
SLOW = pytest.mark.slow
FIELDS = {"nonce", "mode", "reports"}
OF_ARMS = {"arm", "padding"}
OF_CREDIT = {"blinded"}
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
    """Press the button and return the kind of the verdict."""
    page.goto("/check/")
    page.locator("#choice").select_option(choice)
    page.locator("#flip").click()
    return _verdict(page)


def _verdict(page: Page) -> str:
    page.locator("#verdict p").first.wait_for()
    return (page.locator("#verdict").get_attribute("class") or "").removeprefix("notice ")


def _number(page: Page, name: str) -> float:
    return float(page.locator(f"#{name}").inner_text())


def _table(page: Page) -> list[list[str]]:
    return [row.split("\t") for row in page.locator("#counts tr").all_inner_texts()]


# The arithmetic.


def test_the_survival_function_is_scipys_on_a_grid_and_ends_at_zero_beyond_it(page: Page) -> None:
    page.goto("/check/")
    statistics = [0.0, *np.geomspace(1e-12, 1400, 120).tolist(), *np.linspace(7.5, 8.5, 41).tolist()]
    cells = [(x, degrees) for degrees in [*range(1, 31, 4), 30, 99, 100] for x in statistics]
    survival = np.array(page.evaluate(SURVIVAL, cells))
    x, degrees = np.array(cells).T
    assert np.abs(survival - special.gammaincc(degrees / 2, x / 2)).max() < 1e-12
    assert np.abs(survival - special.chdtrc(degrees, x)).max() < 1e-12
    # A small tail has as many right digits as a large one.
    large_enough = special.chdtrc(degrees, x) > 1e-290
    assert np.abs(survival / special.chdtrc(degrees, x) - 1)[large_enough].max() < 1e-10

    beyond = "import('/static/js/chi_squared.js').then((m) => [m.survival(Infinity, 3), m.survival(1e9, 2)])"
    assert page.evaluate(beyond) == [0, 0]
    for arguments in ((1, 0), (1, 101), (1, 1.5), (-1, 1), (None, None), ("NaN", 1)):
        with pytest.raises(Error, match="must be"):
            page.evaluate(SURVIVAL, [arguments])


def test_the_statistic_is_scipys(page: Page) -> None:
    page.goto("/check/")
    counts, expected = [62_301, 12_688, 12_498, 12_513], [62_500, 12_500, 12_500, 12_500]
    assert page.evaluate(STATISTIC, [counts, expected]) == pytest.approx(stats.chisquare(counts, expected).statistic)
    # A report that cannot happen strays infinitely far, and its absence does not.
    infinite = f"([arguments]) => ({STATISTIC})(arguments).then((x) => x === Infinity)"
    assert page.evaluate(infinite, [[[99, 1], [100, 0]]])
    assert page.evaluate(STATISTIC, [[100, 0], [100, 0]]) == 0


# The button.


@pytest.mark.parametrize(
    "choice", ["0-0", "2-1", *(pytest.param(other, marks=SLOW) for other in ("0-1", "1-0", "1-3"))]
)
def test_an_honest_browser_gets_no_bad_verdict_and_every_coin_is_counted(page: Page, choice: str) -> None:
    """A false alarm comes in one of a million runs."""
    assert _flip(page, choice) in {"fits", "warn"}
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
    assert page.locator("#chosen").inner_text() == page.locator("#choice option[value='1-1']").inner_text()


def test_numbers_are_written_as_in_the_language_of_the_page(new_context: NewContext) -> None:
    page = new_context(locale="de-DE").new_page()
    page.goto("/check/")
    page.locator("#flip").click()
    _verdict(page)
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
    assert _flip(page, choice) == "error"
    assert page.locator("#p-value").inner_text() == "below 0.000001"


@pytest.mark.parametrize("randomizer", [NO_SUCH_REPORT, STOPS])
@pytest.mark.slow
def test_a_planted_randomizer_that_does_not_work_gets_the_bad_verdict_and_no_table(page: Page, randomizer: str) -> None:
    _plant(page, randomizer)
    assert _flip(page) == "error"
    expect(page.locator("#result")).to_be_hidden()
    expect(page.locator("#verdict p")).to_have_count(1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strays", "verdict", "runs"),
    [
        (0, "fits", r"\b100\b.+\b100\b"),
        (200, "fits", r"\b14\b.+\b100\b"),
        (-268, "fits", r"\b5\b.+\b100\b"),
        (269, "warn", r"\b5\b.+\b100\b"),
        (-340, "warn", r"\b1\b.+\b100\b"),
        (530, "warn", r"\b9,200\b"),
        (-669, "warn", r"\b970,000\b"),
        (670, "error", r"\bmillion\b"),
    ],
)
def test_the_verdict_and_its_meaning_follow_the_p_value(page: Page, strays: int, verdict: str, runs: str) -> None:
    counts = [75_000 + strays, 25_000 - strays]
    p = stats.chisquare(counts, [75_000, 25_000]).pvalue
    assert ("fits" if p >= 0.05 else "warn" if p >= 1e-6 else "error") == verdict
    _plant(page, COUNTED.format(no=counts[0]))
    assert _flip(page) == verdict
    assert re.search(runs, page.locator("#verdict p").nth(1).inner_text())


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
    _verdict(page)
    assert page.evaluate("clearInterval(timer), seen.size") >= 10
    expect(page.locator("#progress")).to_be_hidden()
    assert asked == []
    kept = "[localStorage.length, sessionStorage.length, document.cookie]"
    assert page.evaluate(kept) == [0, 0, ""]
    # Trusted types are enforced here too.
    write = "() => { try { document.body.innerHTML = 'x'; return ''; } catch (e) { return e.name; } }"
    assert page.evaluate(write) == "TypeError"


@pytest.mark.slow
def test_pressing_twice_flips_once(page: Page) -> None:
    _plant(page, COUNTS_ITS_CALLS)
    page.goto("/check/")
    page.evaluate("() => { const button = document.getElementById('flip'); button.click(); button.click(); }")
    _verdict(page)
    assert page.evaluate("calls") == DRAWS
    expect(page.get_by_role("button", name="Flip")).not_to_have_attribute("aria-disabled", "true")


def test_without_scripts_the_page_says_what_the_button_would_do(new_context: NewContext) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/check/")
    expect(page.locator("#without-script")).to_be_visible()
    expect(page.get_by_role("button", name="Flip")).to_be_hidden()


@pytest.mark.slow
def test_a_script_that_does_not_load_leaves_those_words_in_place(page: Page) -> None:
    page.route("**/js/randomizer*.js", lambda route: route.abort())
    page.goto("/check/", wait_until="networkidle")
    expect(page.locator("#without-script")).to_be_visible()
    expect(page.get_by_role("button", name="Flip")).to_be_hidden()


def test_the_front_page_leads_here_and_the_keyboard_is_enough(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name=re.compile("Check us")).press("Enter")
    expect(page.locator("#flip")).to_be_visible()
    page.locator("#choice").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    _verdict(page)
    expect(page.locator("#chosen")).to_have_text(page.locator("#choice option:checked").inner_text())
    expect(page.locator("#choice")).to_have_value("0-1")
    expect(page.get_by_role("button", name="Flip")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("region", name="Two fair coins")).to_be_focused()  # it can scroll on a narrow phone
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("details[open]")).to_have_count(1)


# Manners.


def test_axe_finds_nothing_and_the_console_is_silent(new_context: NewContext, looks: Looks) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    settings = tuple(Setting(width, dark=dark) for width in (320, 390, 1280) for dark in (False, True))
    console: list[str] = []
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda error: console.append(str(error)))
    page.goto("/check/")
    before = looks.faults(page, settings)
    for summary in page.locator("summary").all():
        summary.click()
    page.get_by_role("button", name="Flip").click()
    _verdict(page)
    assert before + looks.faults(page, settings) == []
    assert [text for text in console if "Permissions-Policy header:" not in text] == []


@pytest.mark.parametrize("randomizer", [ALWAYS_THE_TRUTH, COUNTED.format(no=75_300)])
def test_axe_finds_nothing_beside_the_other_verdicts(new_context: NewContext, randomizer: str, looks: Looks) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    _plant(page, randomizer)
    _flip(page)
    assert looks.faults(page, (Setting(390), Setting(390, dark=True))) == []


# What the page says about a survey's requests.


def _posts(page: Page) -> list[Request]:
    posts: list[Request] = []
    page.on("request", lambda request: posts.append(request) if request.method == "POST" else None)
    return posts


@pytest.mark.parametrize(
    ("further", "fields"),
    [({}, set()), ({"arms": ARMS}, OF_ARMS), ({"credit": True}, OF_CREDIT)],
    ids=["everybody", "arms", "credit"],
)
def test_a_survey_sends_the_fields_that_this_page_explains_and_no_other(
    page: Page, further: dict[str, object], fields: set[str]
) -> None:
    posts = _posts(page)
    begin(page, make_open(yes_no(), **further))
    choose(page, "Yes")
    flip(page)
    assert posts == []
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.get_by_role("button", name="Send").click()
    (request,) = posts
    sent = parse_qs(request.post_data or "", keep_blank_values=True)
    assert set(sent) == FIELDS | fields
    if "blinded" not in sent:
        page.wait_for_url("**/receipt/")
    page.once("dialog", lambda dialog: dialog.accept())  # about the receipt of credit
    page.goto("/check/")
    page.locator("#watch-title summary").click()
    assert set(page.locator("#watch-title").locator("dt code").all_inner_texts()) == FIELDS | OF_ARMS | OF_CREDIT
