"""The editor with 50 questions of all kinds: `python -m tests.load.editor`; at most 100 ms of CPU an action wanted.

CPU time within one process, without a network: what a worker is busy for. Beside it how many times the view of a
health check takes, which says the same on a faster or slower machine.
"""

# ruff: noqa: T201 - a script that prints its measurements
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

from tests.load import harness

DIRECTORY = harness.configure()

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.test import Client  # noqa: E402

from surveys.drafts.services.surveys import MAX_QUESTIONS  # noqa: E402
from surveys.questionnaire.question import Question  # noqa: E402
from tests.factories import every_kind, make_draft, make_user  # noqa: E402
from tests.load.filled_form import filled  # noqa: E402

TIMES = 25
WANTED_MS = 100
ACTIONS = ("refresh", "add", "up-30", "down-1", "open-25", "close", "duplicate-3", "delete-4")
PARTS = {"HTTP_X_PARTS": "1"}


def fifty() -> list[Question]:
    """Return as many questions as a survey can have; a fact in the head serves one of them only."""
    again = [question for question in every_kind() if "innocuous" not in question.details]
    more = (replace(question, text=f"{question.text} ({round_})") for round_ in range(2, 9) for question in again)
    return [*every_kind(), *more][:MAX_QUESTIONS]


def milliseconds(action: Callable[[], HttpResponse], *, ok: int = 200) -> float:
    """Return the median CPU time of some runs, after one that fills what is remembered."""
    taken = []
    for _ in range(TIMES + 1):
        begin = time.process_time()
        response = action()
        taken.append(1e3 * (time.process_time() - begin))
        if response.status_code != ok:
            raise SystemExit(f"{response.status_code} instead of {ok}")
    return statistics.median(taken[1:])


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = make_user()
    survey = make_draft(*fifty(), owner=owner)
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(owner)
    address = f"/surveys/{survey.code}/edit/"
    begin = time.process_time()
    page = client.get(address)
    first = 1e3 * (time.process_time() - begin)
    form = filled(page.content.decode(), "editor")
    bare = milliseconds(lambda: client.get("/healthz"))
    print(f"{MAX_QUESTIONS} questions, {len(form)} fields, {len(page.content):,} bytes; a health check {bare:.2f} ms")
    print(f"the first view of a worker: {first:.0f} ms")
    results = {"show": milliseconds(lambda: client.get(address))}
    for action in ACTIONS:
        data = form | {"action": action}
        results[f"{action}, by its script"] = milliseconds(lambda data=data: client.post(address, data, **PARTS))
        results[f"{action}, whole page"] = milliseconds(lambda data=data: client.post(address, data))
    titles = iter(range(10_000))

    def save() -> HttpResponse:
        survey.refresh_from_db()
        changes = {"action": "save", "title": f"Title {next(titles)}", "revision": str(survey.revision)}
        return client.post(address, form | changes)

    results["save"] = milliseconds(save, ok=302)
    results["preview of all questions"] = milliseconds(lambda: client.post("/surveys/preview/", form))
    results["list of versions"] = milliseconds(lambda: client.get(f"/surveys/{survey.code}/versions/"))
    for name, taken in results.items():
        print(f"{name}: {taken:.1f} ms, {taken / bare:.0f} times a health check ({WANTED_MS} ms at most wanted)")


if __name__ == "__main__":
    main()
