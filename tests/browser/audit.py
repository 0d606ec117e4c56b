"""What an auditor finds on a page: axe, and what axe does not look at."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import ConsoleMessage, Page

Rules = dict[str, Any]
AXE: Rules = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
# The rules whose answer depends on width and colours: enough for a page that met all of them in another setting.
AXE_ON_LOOKS: Rules = {
    "runOnly": {
        "type": "rule",
        "values": ["color-contrast", "target-size", "link-in-text-block", "scrollable-region-focusable"],
    },
    "resultTypes": ["violations"],
}
# A document is read whole the first time. After that its steps and slides that are hidden are taken out meanwhile: axe
# walks through hundreds of elements of which it says nothing. What it finds is said only if the whole page has it too.
_RUN_AXE = """async (options) => {
  const line = ({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ""}`;
  const run = async () => {
    const { violations } = await axe.run(options);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(line).join(" | ")}`);
  };
  const first = !window.readWhole;
  window.readWhole = true;
  if (first) return run();
  const places = [...document.querySelectorAll("[data-step][hidden], [data-slide][hidden]")].map((hidden) => {
    const place = document.createComment("");
    hidden.replaceWith(place);
    return [place, hidden];
  });
  const faults = await run();
  for (const [place, hidden] of places) place.replaceWith(hidden);
  return faults.length && places.length ? run() : faults;
}"""

# Widths and heights in CSS pixels. A link among the words of a sentence may be smaller: WCAG 2.2 (2.5.8).
_MEASURE = """() => {
  const found = [];
  const note = (fault, elements) => {
    for (const element of elements.slice(0, 3)) found.push(`${fault}: ${element.outerHTML.slice(0, 160)}`);
  };
  const shown = [...document.querySelectorAll("*")].filter((element) => element.checkVisibility());
  const all = shown.filter((element) => !element.closest(".visually-hidden, .skip"));
  const box = (element) => element.getBoundingClientRect();
  const style = (element) => getComputedStyle(element);

  if (document.title.trim() === "") found.push("no title");
  if (document.documentElement.scrollWidth > innerWidth) {
    found.push("it scrolls sideways");
    note("sticks out", all.filter((element) => box(element).right > innerWidth + 1 || box(element).left < -1));
  }

  const primary = all.filter((element) => element.matches(
    "button, summary, select, textarea, .button, .choice, .wordmark, nav a, input:is([type=text], :not([type]))"));
  note("lower than 44 px", primary.filter((element) => box(element).height < 44));

  const inSentence = (element) => style(element).display === "inline"
    && element.parentElement.textContent.trim() !== element.textContent.trim();
  const targets = all.filter((element) => element.matches("a[href], input, button, select, summary"));
  note("smaller than 24 px", targets.filter((element) => {
    const { width, height } = box(element.closest("label") ?? element);
    return !inSentence(element) && Math.min(width, height) < 24;
  }));

  const ownText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  note("text under 12 px", all.filter((element) => parseFloat(style(element).fontSize) < 12 && ownText(element)));
  const content = document.createRange();
  note("a letter a line", all.filter((element) => {
    content.selectNodeContents(element);
    const { height, width } = content.getBoundingClientRect();
    return element.matches("th, td") && height > 4 * width;
  }));
  const written = all.filter((element) => element.localName === "text" && ownText(element));
  const boxes = written.map(box);
  const over = (one) => (other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3;
  note("words over words", written.filter((_, place) => boxes.slice(place + 1).some(over(boxes[place]))));
  // A formula's box scrolls sideways to all that it has; up and down it must not, not even for a pixel or two.
  const scrolls = (element) => element.matches(".formula") && style(element).overflowX === "auto";
  const framed = "button, .button, .choice, .coin, .badge, th, td, li, dd, p, h1, h2, h3";
  note("its text sticks out", all.filter((element) => element.matches(framed) && style(element).display !== "inline"
    && !scrolls(element) && element.scrollWidth > element.clientWidth + 1));
  note("a formula scrolls up and down", all.filter((element) => scrolls(element)
    && element.scrollHeight > element.clientHeight + 1));
  return found;
}"""

# After Tab was pressed, focus() shows the ring, as a keyboard would.
_LOOK_FOR_RINGS = """() => {
  const before = document.activeElement;
  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  const missing = [...document.querySelectorAll(controls)].filter((element) => {
    if (!element.checkVisibility() || element.disabled) return false;
    element.focus({ preventScroll: true });
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element.closest(".choice") ?? element);
    return outlineStyle === "none" || parseFloat(outlineWidth) < 2 || outlineColor === "rgba(0, 0, 0, 0)";
  });
  before?.focus({ preventScroll: true });
  return missing.map((element) => `no ring: ${element.outerHTML.slice(0, 160)}`);
}"""


@dataclass(frozen=True, slots=True)
class Setting:
    """A way to look at a page."""

    width: int
    dark: bool = False
    forced: bool = False

    def __str__(self) -> str:
        return f"{self.width} {'forced colours' if self.forced else 'dark' if self.dark else 'light'}"


def look_as(page: Page, setting: Setting) -> None:
    """Show the page so; what is chosen and open on it stays."""
    page.set_viewport_size({"width": setting.width, "height": 844 if setting.width < 1000 else 800})
    page.emulate_media(
        color_scheme="dark" if setting.dark else "light", forced_colors="active" if setting.forced else "none"
    )


@dataclass(slots=True)
class Looks:
    """In which settings a page is looked at, and whether by axe, which takes most of the time.

    Every page in all of them, and by axe in two: in the first by all rules, in one of the others by those on looks. Or
    else a page in one of them, and every other page by axe. Which one it is goes in turn, so that a walk through some
    pages has met them all.
    """

    at_every_page: bool
    _pages: int = 0

    def at(self, page: Page, settings: Sequence[Setting], first: Rules = AXE) -> Iterator[tuple[Setting, Rules | None]]:
        """Show the page in each setting, with the rules for `faults`: first these, then those on looks."""
        turn, self._pages = self._pages, self._pages + 1
        if self.at_every_page:
            by_axe = {0: first, 1 + turn % max(1, len(settings) - 1): AXE_ON_LOOKS}
            shown = [(setting, by_axe.get(place)) for place, setting in enumerate(settings)]
        else:
            shown = [(settings[(turn + 1) // 2 % len(settings)], None if turn % 2 else first)]
        for setting, rules in shown:
            look_as(page, setting)
            yield setting, rules

    def faults(self, page: Page, settings: Sequence[Setting], first: Rules = AXE) -> list[str]:
        """Return all that is wrong with the page in these settings."""
        return [
            f"{setting}: {fault}" for setting, rules in self.at(page, settings, first) for fault in faults(page, rules)
        ]

    def faults_both_ways(self, page: Page, settings: Sequence[Setting]) -> list[str]:
        """Return all that is wrong with the page, controls that show no ring too, and what is from right to left."""
        wrong = [*missing_rings(page), *self.faults(page, settings)]
        page.evaluate("document.documentElement.dir = 'rtl'")
        return wrong + [f"right to left: {fault}" for fault in measured(page)]


def _ask(page: Page, script: str, options: Rules | None = None) -> Any:  # noqa: ANN401
    """Ask the page, not before it is there as a whole: what was pressed may have led to one that is still coming."""
    page.wait_for_load_state()
    return page.evaluate(script, options)


def violations(page: Page, rules: Rules | None = AXE) -> list[str]:
    """Return what axe finds, without rules nothing; its half a megabyte is handed to each document once."""
    if rules is None:
        return []
    if not _ask(page, "'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    lines: list[str] = page.evaluate(_RUN_AXE, rules)
    return lines


def sideways(page: Page) -> list[str]:
    """Say so if the page is wider than its window."""
    return ["it scrolls sideways"] if _ask(page, "document.documentElement.scrollWidth > innerWidth") else []


def faults(page: Page, rules: Rules | None = AXE) -> list[str]:
    """Return all that is wrong with the page as it stands, without rules only what is measured."""
    return [*violations(page, rules), *measured(page)]


def measured(page: Page) -> list[str]:
    """Return what is too small, sticks out or scrolls sideways, which takes no time at all."""
    lines: list[str] = _ask(page, _MEASURE)
    return lines


def missing_rings(page: Page) -> list[str]:
    """Return the controls that a keyboard cannot be seen to stand on."""
    # A key pressed while a page is still on its way goes to the one before it; rings are for who uses keys.
    for _ in range(3):
        page.keyboard.press("Tab")
        if _ask(page, "() => Boolean(document.querySelector(':focus-visible'))"):
            break
    controls: list[str] = page.evaluate(_LOOK_FOR_RINGS)
    return controls


def complaints_of(page: Page) -> list[str]:
    """Collect errors and everything the security policy refuses, from now on."""
    messages: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            messages.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: messages.append(str(error)))
    return messages
