"""How soon a slow phone on a slow network can answer: `python -m tests.load.first_answer`."""

# ruff: noqa: T201 - a script that prints its measurements
import os
import statistics

from playwright.sync_api import Browser, sync_playwright

from tests.load import harness
from tests.programs import CHROMIUM, CHROMIUM_ARGUMENTS
from tests.server import serving

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from tests.browser.conftest import PHONE  # noqa: E402
from tests.factories import make_open, twenty_of_every_kind, yes_no  # noqa: E402

VISITS = 9
WANTED_SECONDS = 1.5
LATENCY_MS = 400
BYTES_A_SECOND = 50 * 1024
CPU_SLOWDOWN = 4

# Each frame looks whether Begin is there; its click has been listened to from the same moment on.
NOTE_BEGIN = """
  const look = () => {
    const begin = document.getElementById("begin");
    if (begin && !begin.hidden && begin.getBoundingClientRect().height) window.begins = performance.now();
    else requestAnimationFrame(look);
  };
  look();
"""


def visit(browser: Browser, address: str) -> tuple[float, int, int]:
    """Return the seconds until Begin works, the requests made and the bytes that came."""
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
    page.add_init_script(NOTE_BEGIN)
    page.goto(address, wait_until="commit")
    page.get_by_role("button", name="Begin").click()
    seconds = page.evaluate("window.begins") / 1000
    page.locator("[data-question]:visible, [data-lead]:visible").wait_for()
    page.wait_for_load_state("networkidle")
    context.close()
    return seconds, len(came), sum(came)


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
            visits = [visit(browser, f"{server.address}/s/{survey.code}/") for _ in range(VISITS)]
            seconds = [seconds for seconds, _, _ in visits]
            median = statistics.median(seconds)
            print(
                f"{name}: Begin works after {median:.2f} s (of {VISITS} visits {min(seconds):.2f} to "
                f"{max(seconds):.2f}; at most {WANTED_SECONDS} wanted), {visits[0][1]} requests with the icon, "
                f"{visits[0][2]:,} bytes with heads"
            )
            slow += [name] if median > WANTED_SECONDS else []
        browser.close()
    if slow:
        raise SystemExit(f"too slow: {', '.join(slow)}")


if __name__ == "__main__":
    main()
