"""Processor time of one request, warm and in this process, beside a bare view: `python -m tests.load.one_request`.

No server and no client is in it: the application is called as granian calls it. Its database is on a disk's file with
synchronous=FULL, as it is set by default. Of each the round that other programs disturbed least is printed.
"""

# ruff: noqa: T201 - a script that prints its measurements
import secrets
import time
from collections.abc import Callable

from tests.load import harness

DIRECTORY = harness.configure()

from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import override_settings  # noqa: E402

from surveys.wsgi import Handler, application  # noqa: E402
from tests.factories import make_open, one_of, yes_no  # noqa: E402
from tests.load.urls import make_bare_table  # noqa: E402

ROUNDS = 15
REQUESTS = 300
REPORTS = "1012-"
SENT = f"deniable_done=1; deniable_receipt=device.{REPORTS}"


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    make_bare_table()
    questions = (yes_no("Q1?"), yes_no("Q2?"), yes_no("Q3?"), one_of(("a", "b", "c", "d", "e")), yes_no("Q5?"))
    page = f"/s/{make_open(*questions, title='Load').code}/"
    with override_settings(MIDDLEWARE=[]):
        bare = Handler()

    def submission() -> harness.Environ:
        fields = f"nonce={secrets.token_urlsafe(16)}&mode=device&reports={REPORTS}"
        return harness.asked(page, fields, HTTP_ORIGIN="http://127.0.0.1", HTTP_ACCEPT="application/json")

    asked: dict[str, tuple[WSGIHandler, Callable[[], harness.Environ], int]] = {
        "bare view, no middleware": (bare, lambda: harness.asked("/load/hello"), 200),
        "bare view, all middleware": (application, lambda: harness.asked("/load/hello"), 200),
        "respondent's page": (application, lambda: harness.asked(page), 203),
        "front page": (application, lambda: harness.asked("/"), 200),
        "bare INSERT, no middleware": (bare, lambda: harness.asked("/load/insert", "x=1"), 200),
        "submission": (application, submission, 200),
        "its receipt": (application, lambda: harness.asked(f"{page}receipt/", HTTP_COOKIE=SENT), 200),
    }
    seconds: dict[str, list[float]] = {name: [] for name in asked}
    for round_number in range(ROUNDS + 1):
        for name, (handler, make, status) in asked.items():
            spent = _seconds(handler, [make() for _ in range(REQUESTS)], status)
            if round_number:  # the first warms up
                seconds[name].append(spent)
    for name, rounds in seconds.items():
        beside = min(rounds) / min(seconds["bare view, no middleware"])
        print(f"{name:27} {1e6 * min(rounds):7.0f} µs   {beside:5.1f} bare views")


def _seconds(handler: WSGIHandler, environs: list[harness.Environ], wanted: int) -> float:
    """Return the processor time of one of these requests, each of which must get this status."""
    statuses: set[str] = set()
    started = time.process_time()
    for environ in environs:
        response = handler(environ, lambda status, _heads, *_error: statuses.add(status))
        b"".join(response)
        response.close()
    spent = time.process_time() - started
    if {int(status[:3]) for status in statuses} != {wanted}:
        raise SystemExit(f"{environs[0]['PATH_INFO']} answered {statuses}, and {wanted} was expected")
    return spent / len(environs)


if __name__ == "__main__":
    main()
