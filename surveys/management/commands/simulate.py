"""`simulate CODE --respondents N`: fill an open survey through the real randomizer and submission service."""

import argparse
from fractions import Fraction
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys import selectors
from surveys.management.progress import progress_bar
from surveys.models import Survey
from surveys.models.definition import Item
from surveys.privacy.rationals import exact
from surveys.services import simulating
from surveys.services.collecting import SubmissionRefused

DEFAULT_YES = Fraction(3, 10)


class Command(BaseCommand):
    help = "Send simulated respondents' answers to an open survey."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the survey's join code")
        parser.add_argument("--respondents", type=_positive, required=True, metavar="N")
        parser.add_argument(
            "--share",
            action="append",
            default=[],
            metavar="QUESTION:SHARES",
            help="true shares of one question's answers in their order, for example 1:0.7,0.3 (No, Yes); "
            "without it three in ten say Yes, and several options are equally common",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            survey = selectors.survey_by_code(options["code"])
        except Survey.DoesNotExist:
            raise CommandError(f"There is no survey with the code {options['code']}.") from None
        items = selectors.definition_of(survey).items
        shares = [default_shares(item) for item in items]
        for text in options["share"]:
            number, given = _parse(text)
            if not 1 <= number <= len(items):
                raise CommandError(f"--share {text}: there is no question {number}.")
            shares[number - 1] = given
        try:
            steps = simulating.simulate(survey=survey, respondents=options["respondents"], shares=shares)
            progress_bar(steps, total=options["respondents"], out=self.stderr)
        except (ValueError, SubmissionRefused) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{options['respondents']} simulated respondents answered {survey.code}.")


def default_shares(item: Item) -> list[Fraction]:
    """Three in ten say Yes; several options are equally common."""
    k = item.design.k
    return [1 - DEFAULT_YES, DEFAULT_YES] if k == 2 else [Fraction(1, k)] * k


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return int(text)


def _parse(text: str) -> tuple[int, list[Fraction]]:
    number, _, shares = text.partition(":")
    if not number.isdecimal() or not shares:
        raise CommandError(f"--share {text}: write it as 1:0.7,0.3")
    try:
        return int(number), [exact(share.strip(), "--share") for share in shares.split(",")]
    except ValueError as error:
        raise CommandError(f"--share {text}: {error}") from error
