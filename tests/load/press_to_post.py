"""Whether the time from Send to the POST tells the true answer: `python -m tests.load.press_to_post`.

Pairs of answers with the same draw and the same report, one truth each, in an order that is drawn; what is timed is
the way through the page's own script, up to the moment at which it hands the request to the browser.
"""

# ruff: noqa: T201 - a script that prints its measurements
import os
import secrets
import sys

import numpy as np
from playwright.sync_api import Page, sync_playwright

from tests.load import harness
from tests.programs import CHROMIUM, CHROMIUM_ARGUMENTS
from tests.server import serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from tests.factories import make_open, yes_no  # noqa: E402

PAIRS = 2_000
RESAMPLES = 2_000
# Of a two-sided test at 5% that misses one difference in ten.
_FOUND_BY_90_PERCENT = 1.9600 + 1.2816

# The draw is 0, which makes both truths the report No; the request is timed and goes nowhere.
WATCH = """
  crypto.getRandomValues = (words) => words.fill(0);
  window.fetch = () => { window.handed = performance.now(); return new Promise(() => {}); };
"""
ANSWER = """async (truth) => {
  const press = (selector) => document.querySelector(`[data-step]:not([hidden]) ${selector}`).click();
  const until = async (true_) => { while (!true_()) await new Promise((resolve) => setTimeout(resolve)); };
  await until(() => document.getElementById("begin")?.hidden === false);
  document.getElementById("begin").click();
  press(`[role=radio][value="${truth}"]`);
  press("[data-flip]");
  await until(() => document.getElementById("review").hidden === false);
  const report = document.querySelector("[name=reports]").value;
  // Nobody sends within the same frame: what the choice made the browser draw anew is drawn by then.
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const pressed = performance.now();
  press("[type=submit]");
  await until(() => window.handed);
  return [window.handed - pressed, report];
}"""


def milliseconds(page: Page, address: str, truth: int) -> float:
    """Answer on a page of its own and return the time from Send to the request."""
    page.goto(address, wait_until="commit")
    took, report = page.evaluate(ANSWER, truth)
    if report != "0":
        raise SystemExit(f"the report of {truth} is {report!r}")
    return float(took)


def interval(figures: np.ndarray) -> tuple[float, float, float]:
    """Return the difference of the two columns' medians, with an interval of 95% from whole pairs drawn anew."""
    rng = np.random.default_rng(20261122)
    rows = rng.integers(0, len(figures), size=(RESAMPLES, len(figures)))
    drawn = np.array([np.subtract(*np.median(figures[each], axis=0)[::-1]) for each in rows])
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(np.subtract(*np.median(figures, axis=0)[::-1])), float(low), float(high)


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    survey = make_open(yes_no())
    connection.close()
    executable = CHROMIUM.find()
    if executable is None:
        raise SystemExit(CHROMIUM.how_to_install)
    figures = np.empty((pairs, 2))
    with serving("serve", directory=DIRECTORY) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*CHROMIUM_ARGUMENTS])
        page = browser.new_page()
        page.add_init_script(WATCH)
        for pair in figures:
            first = secrets.randbelow(2)
            for truth in (first, 1 - first):
                pair[truth] = milliseconds(page, f"{server.address}/s/{survey.code}/", truth)
        browser.close()
    difference, low, high = interval(figures)
    differences = figures[:, 1] - figures[:, 0]
    # Means of what is left after the longest and the shortest tenth: the browser's clock has steps of 0.1 ms, which
    # medians do not see below.
    kept = np.sort(differences)[pairs // 10 : pairs - pairs // 10]
    error = float(np.std(differences[np.abs(differences - np.median(differences)) <= np.ptp(kept)])) / np.sqrt(pairs)
    no, yes = np.median(figures, axis=0)
    print(f"{pairs:,} pairs, medians from Send to the POST: No {no:.2f} ms, Yes {yes:.2f} ms")
    print(f"difference of the medians {difference:+.3f} ms, 95% from {low:+.3f} to {high:+.3f} ms")
    print(f"mean difference, a tenth cut off at each end, {np.mean(kept):+.4f} ms, standard error {error:.4f} ms")
    print(f"a difference of {_FOUND_BY_90_PERCENT * error:.3f} ms would have been found 9 times of 10")


if __name__ == "__main__":
    main()
