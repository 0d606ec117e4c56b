"""`release CODE --mechanism NAME --question N --epsilon E …`: the same service, ledger and refusals as in the admin."""

import argparse
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.management.arguments import survey_called
from surveys.management.releasing import (
    amount,
    option_named,
    refusal_words,
    require_questions,
    terms_as_data,
    terms_in_words,
    user_named,
)
from surveys.models import Proposal, Release, Survey
from surveys.privacy.rationals import plain_decimal
from surveys.releases.families.plan import Terms
from surveys.releases.files import document_of
from surveys.releases.mechanisms import PLANS, all_fields
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services import releasing
from surveys.releases.services.releasing import check, publish, same_as
from surveys.releases.services.request import ReleaseRequest
from surveys.releases.services.wanted import epsilon_for
from surveys.releases.words.advice import advice_says, another_draws


class Command(BaseCommand):
    help = "Release results of a survey with central privacy: charged to its budget, drawn once and stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the survey's join code")
        parser.add_argument("--mechanism", required=True, choices=list(PLANS))
        parser.add_argument(
            "--question", action="append", type=int, required=True, metavar="N", help="its number; several share ε"
        )
        cost = parser.add_mutually_exclusive_group(required=True)
        cost.add_argument("--epsilon", metavar="E", help="a decimal such as 0.5")
        cost.add_argument("--accuracy", metavar="A", help="the largest error wanted, from which ε is worked out")
        parser.add_argument("--unit", help="of --accuracy, for example points; by default the mechanism's own")
        parser.add_argument("--delta", default="0", metavar="D", help="a decimal such as 0.000001, if one is needed")
        for option in all_fields():
            read_by = [name for name, mechanism in PLANS.items() if option in mechanism.fields]
            parser.add_argument(
                option_named(option.name), help=", ".join(filter(None, [option.help, f"for {', '.join(read_by)}"]))
            )
        parser.add_argument("--reason", required=True, help="why; the ledger keeps it for good")
        parser.add_argument("--user", required=True, metavar="NAME", help="who releases, for the ledger")
        parser.add_argument("--key", type=_key, help="a UUID: the same one again makes and publishes nothing")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--publish", action="store_true", help="show it to everybody at once")
        how.add_argument(
            "--propose", action="store_true", help="draw and charge nothing: somebody else approves it in the admin"
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what it would cost and how far off it is")
        parser.add_argument("--yes", action="store_true", help="do not ask for ε to be typed again")
        parser.add_argument("--json", action="store_true", help="write JSON for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_named(options["user"], publish=options["publish"])
        request = self._request(options)
        try:
            terms = check(request)
            self._advise(request.survey, terms)
            if options["dry_run"]:
                form = terms_as_data if options["json"] else terms_in_words
                self._write(form(terms, request.survey))
                return
            self.stderr.write(terms_in_words(terms, request.survey))
            if options["propose"]:
                proposal = releasing.propose(request, user=user)
                data = terms_as_data(terms, request.survey) if options["json"] else None
                self._write(_proposed(proposal, data))
                return
            self._require_one_is_enough(options["key"])
        except ReleaseRefused as refused:
            # A request that has made its release may have emptied the budget.
            if options["propose"] or not _has_released(options["key"]):
                raise refusal_words(refused) from None
        else:
            if not options["yes"]:
                _confirm(request.epsilon)
        release, made_now = self._release(request, user)
        if options["publish"] and made_now:
            publish(release=release, user=user)
        if options["json"]:
            self._write(document_of(reading_of(charged_releases().get(pk=release.pk))))
        else:
            self._write(f"Release {release.pk} is drawn and charged.")

    def _require_one_is_enough(self, key: UUID | None) -> None:
        """Say before ε is typed what the service would say after it."""
        if settings.RELEASES_NEED_APPROVAL and not _has_released(key):
            raise CommandError(f"{ReleaseRefused(Why.NEEDS_APPROVAL)} Add --propose. Nothing was charged.")

    def _request(self, options: dict[str, Any]) -> ReleaseRequest:
        """Return what is asked for; from an accuracy the ε that it needs."""
        survey = survey_called(options["code"])
        require_questions(survey, options["question"])
        request = ReleaseRequest(
            survey=survey,
            questions=options["question"],
            mechanism=options["mechanism"],
            delta=amount(options["delta"], "delta"),
            options={field.name: options[field.name] for field in all_fields() if options[field.name] is not None},
            reason=options["reason"],
            key=options["key"] or uuid4(),
        )
        if options["epsilon"] is not None:
            return replace(request, epsilon=amount(options["epsilon"], "epsilon"))
        wanted, unit = amount(options["accuracy"], "accuracy"), options["unit"] or PLANS[options["mechanism"]].unit
        try:
            return replace(request, epsilon=epsilon_for(request, wanted, unit))
        except ReleaseRefused as refused:
            raise refusal_words(refused) from None

    def _release(self, request: ReleaseRequest, user: User) -> tuple[Release, bool]:
        """Release, or return what the same request has released before; and whether it was made now.

        What was made before may have been withdrawn since: a script that runs again does not publish it again.
        """
        try:
            return releasing.release(request, user=user), True
        except ReleaseRefused as refused:
            if refused.code is not Why.DUPLICATE_REQUEST:
                raise refusal_words(refused) from None
            earlier = charged_releases().get(pk=refused.facts["release"])
            if not same_as(earlier, request):
                raise CommandError(f"--key: {refused}") from None
            self.stderr.write(str(refused))
            return earlier, False

    def _advise(self, survey: Survey, terms: Terms) -> None:
        """Say which draw of the same questions this would be."""
        for advice in another_draws(terms, charged_releases().filter(survey_id=survey.pk)):
            self.stderr.write(advice_says(advice))

    def _write(self, terms: dict[str, Any] | str) -> None:
        self.stdout.write(terms if isinstance(terms, str) else json.dumps(terms, ensure_ascii=False, indent=2))


def _proposed(proposal: Proposal, data: dict[str, Any] | None) -> dict[str, Any] | str:
    if data is not None:
        return {"proposal": proposal.pk, "state": proposal.state} | data
    waits = "waits for somebody else to approve it" if proposal.is_open else f"is {proposal.state}"
    return f"Proposal {proposal.pk} {waits}."


def _has_released(key: UUID | None) -> bool:
    return key is not None and Release.objects.filter(request_key=key).exists()


def _confirm(epsilon: Fraction) -> None:
    wanted = plain_decimal(epsilon)
    try:
        typed = input(f"Type {wanted} to charge it: ")
    except EOFError:
        raise CommandError("Nobody is there to confirm: add --yes. Nothing was charged.") from None
    if typed.strip() != wanted:
        raise CommandError("That is not this ε: nothing was charged.")


def _key(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a UUID, got {text!r}") from None
