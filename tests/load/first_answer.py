"""How soon a slow phone on a slow network can answer or move the lab: `python -m tests.load.first_answer`."""

# ruff: noqa: T201 - a script that prints its measurements
import os
import statistics
from collections.abc import Callable

from playwright.sync_api import Browser, Page, sync_playwright

from tests.load import harness
from tests.programs import CHROMIUM, CHROMIUM_ARGUMENTS
from tests.server import serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from surveys.learn.pages import lab_pages  # noqa: E402
from tests.browser.conftest import PHONE  # noqa: E402
from tests.factories import make_open, twenty_of_every_kind, yes_no  # noqa: E402

VISITS, VISITS_OF_LAB = 9, 3
WANTED_SECONDS = 1.5
LATENCY_MS = 400
BYTES_A_SECOND = 50 * 1024
CPU_SLOWDOWN = 4

MOST_BYTES_OF_LAB = 60 * 1024
MOST_BYTES_OF_A_STRANGER = 15 * 1024

# Each frame looks whether it can be used; what is pressed has been listened to from the same moment on.
NOTE = """
  const look = () => {
    if (%s) window.usable = performance.now();
    else requestAnimationFrame(look);
  };
  look();
"""
BEGIN_WORKS = 'document.getElementById("begin")?.hidden === false'
# Styles and the script stand before the picture is drawn.
LAB_MOVES = 'document.documentElement?.classList.contains("js") && document.getElementById("says")?.clientHeight'


def visit(browser: Browser, address: str, usable: str, use: Callable[[Page], None]) -> tuple[float, int, int]:
    """Return the seconds until a page can be used, the requests made and the bytes that came."""
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    throttle = context.new_cdp_session(page)
    throttle.send("Network.enable")
    throttle.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": LATENCY_MS,
            "downloadThroughput": BYTES_A_SECOND,
            "uploadThroughput": BYTES_A_SECOND,
        },
    )
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    came: list[int] = []
    throttle.on("Network.loadingFinished", lambda event: came.append(int(event["encodedDataLength"])))
    page.add_init_script(NOTE % usable)
    page.goto(address, wait_until="commit")
    use(page)
    page.wait_for_load_state("networkidle")
    seconds = page.evaluate("window.usable") / 1000
    context.close()
    return seconds, len(came), sum(came)


def begin(page: Page) -> None:
    page.get_by_role("button", name="Start survey").click()
    page.locator("[data-question]:visible, [data-lead]:visible").wait_for()


def move(page: Page) -> None:
    page.locator("html.js .controls input").first.wait_for()


def visit_lab(browser: Browser, address: str) -> list[str]:
    """Print when each page of the lab can be moved, and return those that are late or large."""
    visits_of = {
        slug: [visit(browser, f"{address}/learn/{slug}/", LAB_MOVES, move) for _ in range(VISITS_OF_LAB)]
        for slug in lab_pages()
    }
    medians = {slug: statistics.median(seconds for seconds, _, _ in visits) for slug, visits in visits_of.items()}
    sizes = {slug: visits[0][2] for slug, visits in visits_of.items()}
    for slug, median in sorted(medians.items(), key=lambda each: each[1]):
        print(f"  {slug}: {median:.2f} s, {sizes[slug]:,} bytes with heads")
    print(
        f"{len(visits_of)} pages of the lab, medians of {VISITS_OF_LAB}: moved after {min(medians.values()):.2f} to "
        f"{max(medians.values()):.2f} s (at most {WANTED_SECONDS} wanted), {min(sizes.values()):,} to "
        f"{max(sizes.values()):,} bytes (at most {MOST_BYTES_OF_LAB:,} wanted)"
    )
    return [slug for slug in visits_of if medians[slug] > WANTED_SECONDS or sizes[slug] > MOST_BYTES_OF_LAB]


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    surveys = {
        "5 questions": make_open(*(yes_no(f"Have you ever done thing number {number}?") for number in range(5))),
        "20 questions of all kinds": make_open(*twenty_of_every_kind()),
    }
    connection.close()
    executable = CHROMIUM.find()
    if executable is None:
        raise SystemExit(CHROMIUM.how_to_install)
    slow = []
    with serving("serve", directory=DIRECTORY) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*CHROMIUM_ARGUMENTS])
        for name, survey in surveys.items():
            visits = [visit(browser, f"{server.address}/s/{survey.code}/", BEGIN_WORKS, begin) for _ in range(VISITS)]
            seconds = [seconds for seconds, _, _ in visits]
            median = statistics.median(seconds)
            print(
                f"{name}: *Start survey* works after {median:.2f} s (of {VISITS} visits {min(seconds):.2f} to "
                f"{max(seconds):.2f}; at most {WANTED_SECONDS} wanted), {visits[0][1]} requests with the icon, "
                f"{visits[0][2]:,} bytes with heads"
            )
            slow += [name] if median > WANTED_SECONDS else []
        for path in ("/", "/learn/"):
            _, requests, size = visit(browser, server.address + path, "document.body", lambda _page: None)
            wanted = f"at most {MOST_BYTES_OF_A_STRANGER:,} wanted"
            print(f"{path}: {requests} requests, {size:,} bytes with heads ({wanted})")
            slow += [path] if size > MOST_BYTES_OF_A_STRANGER else []
        slow += visit_lab(browser, server.address)
        browser.close()
    if slow:
        raise SystemExit(f"too slow: {', '.join(slow)}")


if __name__ == "__main__":
    main()
