"""A process that sends answers by many threads until it is told to end, and writes down what it sent and was told.

`python -m tests.scale.senders DIRECTORY NUMBER SURVEY INVITED`: a line before each sending, and one after each answer,
so that a kill leaves what was under way. A database that cannot be reached is asked again with the same nonce.
"""

import json
import os
import secrets
import sys
import threading
import time
from pathlib import Path

Sending = tuple[int, str, str, str]
"""The survey's key, the nonce, the reports, and the card or ""."""

THREADS = 4
OPTIONS = 4
_GIVEN_UP = 30.0


def main(directory: Path, number: int, keys: list[int]) -> None:
    import django

    django.setup()
    from surveys.common.selectors import definition_of
    from surveys.models import Survey

    surveys = {key: Survey.objects.get(pk=key) for key in keys}
    definitions = {key: definition_of(survey) for key, survey in surveys.items()}
    cards = json.loads((directory / f"cards-{number % 2}.json").read_text())
    threads = [
        threading.Thread(
            target=Sender(directory, f"{number}-{thread}", surveys, definitions, cards[thread::THREADS]).run
        )
        for thread in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Sender:
    """One client after another."""

    def __init__(self, directory: Path, name: str, surveys: dict, definitions: dict, cards: list[str]) -> None:
        self.directory, self.surveys, self.definitions, self.cards = directory, surveys, definitions, cards
        self.file = os.open(directory / f"sent-{name}-{secrets.token_hex(4)}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def run(self) -> None:
        from django.db import connection

        from surveys.answering.services.collecting import new_nonce

        plain, invited = self.surveys
        try:
            while not (self.directory / "end").exists():
                nonce, reports = new_nonce(), "".join(str(secrets.randbelow(OPTIONS)) for _ in range(2))
                card = self.cards.pop() if self.cards and secrets.randbelow(3) == 0 else ""
                key = invited if card else plain
                other = "".join(str((int(code) + 1) % OPTIONS) for code in reports)
                chance = secrets.randbelow(10)
                if chance == 0:
                    self.at_once((key, nonce, reports, card), (key, nonce, other, card))
                elif chance == 1:
                    self.at_once((key, nonce, reports, card), (key, new_nonce(), reports, card))
                else:
                    self.send(key, nonce, reports, card)
                if chance in {2, 3}:
                    self.send(key, nonce, reports if chance == 2 else other, card)
        finally:
            connection.close()
            os.close(self.file)

    def at_once(self, one: Sending, another: Sending) -> None:
        """Send two things at the same moment: other reports of the same page, or two pages with the same card."""
        from django.db import connection

        def second() -> None:
            try:
                self.send(*another)
            finally:
                connection.close()

        thread = threading.Thread(target=second)
        thread.start()
        self.send(*one)
        thread.join()

    def send(self, key: int, nonce: str, reports: str, card: str) -> None:
        """Send until there is an answer, and write it down."""
        from django.db import Error, connection

        from surveys.answering.services import collecting

        self.write(key, nonce, reports, card, "sending")
        until = time.monotonic() + _GIVEN_UP
        while time.monotonic() < until:
            try:
                outcome = collecting.collect(
                    survey=self.surveys[key],
                    definition=self.definitions[key],
                    mode="device",
                    nonce=nonce,
                    reports=reports,
                    token=card,
                ).value
            except collecting.SubmissionRefused as refused:
                outcome = type(refused).__name__
            except Error:
                connection.close()
                time.sleep(0.05)
                continue
            self.write(key, nonce, reports, card, outcome)
            return

    def write(self, key: int, nonce: str, reports: str, card: str, outcome: str) -> None:
        os.write(self.file, (json.dumps([key, nonce, reports, card, outcome]) + "\n").encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), [int(key) for key in sys.argv[3:]])
