"""`simulate CODE --respondents N`: fill an open survey through the real randomizer and submission service."""

import argparse
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper

from surveys.answering.services import simulating
from surveys.answering.services.collecting import SubmissionRefused
from surveys.common.selectors import definition_of
from surveys.management.arguments import survey_called
from surveys.models.simulated import spread_people
from surveys.privacy.rationals import exact
from surveys.questionnaire.asked_question import AskedQuestion, Item

DEFAULT_YES = Fraction(3, 10)
_BAR_WIDTH = 30


class Command(BaseCommand):
    help = "Send simulated respondents' answers to an open survey."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the survey's join code")
        parser.add_argument("--respondents", type=_positive, required=True, metavar="N")
        parser.add_argument(
            "--share",
            action="append",
            default=[],
            metavar="ITEM:SHARES",
            help="true shares of one item's answers in their order, for example 1:0.7,0.3 (No, Yes), or 2b:0.9,0.1 for "
            "the second option of question 2; of a number how far up its range the mean is, 3:0.4. Without it three in "
            "ten say Yes, other answers are equally common, and a mean is three tenths up the range",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        survey = survey_called(options["code"])
        definition = definition_of(survey)
        items = definition.items
        shares = [default_shares(question) for question in definition.questions for _ in question.items]
        places = {item.key: item.number for item in items}
        for text in options["share"]:
            key, given = _parse(text)
            if key not in places:
                raise CommandError(f"--share {text}: there is no question {key}, only {', '.join(places)}.")
            shares[places[key]] = _shares_of(items[places[key]], given)
        try:
            steps = simulating.simulate(survey=survey, respondents=options["respondents"], shares=shares)
            progress_bar(steps, total=options["respondents"], out=self.stderr)
        except (ValueError, SubmissionRefused) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{options['respondents']} simulated respondents answered {survey.code}.")


def progress_bar(steps: Iterable[int], *, total: int, out: OutputWrapper) -> None:
    """Use `steps` up, drawing how many of `total` are done: on a terminal it moves, elsewhere only the end is there."""
    for done in steps:
        if out.isatty() or done == total:
            filled = _BAR_WIDTH * done // total
            bar = "█" * filled + "·" * (_BAR_WIDTH - filled)
            out.write(f"\r{bar} {done:,} of {total:,}", ending="\n" if done == total else "")


def default_shares(question: AskedQuestion) -> list[Fraction]:
    """Three in ten say Yes, a mean is three tenths up its range; several other answers are equally common."""
    k = question.design.k
    if question.first.grid:
        return list(spread_people(DEFAULT_YES, question.first.cells))
    if question.answers.one_true:
        options = len(question.items)
        return [Fraction(options - 1, options), Fraction(1, options)]
    return [1 - DEFAULT_YES, DEFAULT_YES] if k == 2 else [Fraction(1, k)] * k


def _shares_of(item: Item, given: list[Fraction]) -> list[Fraction]:
    """Return a share an answer; of a number one says it: people at the two ends have that mean."""
    if item.range and len(given) == 1:
        return [*spread_people(given[0], item.cells), Fraction(0)][: item.design.k]
    return given


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return int(text)


def _parse(text: str) -> tuple[str, list[Fraction]]:
    key, _, shares = text.partition(":")
    if not key[:1].isdecimal() or not shares:
        raise CommandError(f"--share {text}: write it as 1:0.7,0.3")
    try:
        return key.strip(), [exact(share.strip(), "--share") for share in shares.split(",")]
    except ValueError as error:
        raise CommandError(f"--share {text}: {error}") from error
