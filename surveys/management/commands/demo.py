"""`demo`: a class to look at, filled through the real randomizer and the real submission service, and served."""

import os
import secrets
import socket
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from surveys.answering.services import simulating
from surveys.common.qr import qr_text
from surveys.course.services import close_survey, open_survey
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import create_survey
from surveys.lessons.services import take_ready
from surveys.management.classes import CLASSES, Class
from surveys.management.commands.serve import require_free
from surveys.management.commands.simulate import progress_bar
from surveys.models import Budget, Group, Lesson, Mechanism, Survey
from surveys.releases.ledger.services import set_budget
from surveys.releases.services import releasing
from surveys.releases.services.releasing import publish
from surveys.releases.services.request import ReleaseRequest

HOST = "127.0.0.1"
EVERYWHERE = "0.0.0.0"  # noqa: S104 - only when asked for, so that phones can come in
# RFC 5737: an address for documentation. Asking for the way there sends nothing.
_ELSEWHERE = ("192.0.2.1", 9)


class Command(BaseCommand):
    help = "Fill four surveys with simulated respondents, make two releases, print the logins and serve it all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=HOST, help=f"{EVERYWHERE} lets phones on this network in")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-serve", action="store_true", help="fill and print, but do not start the server")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["no_serve"]:
            require_free(options["host"], options["port"])
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        instructor, instructor_password = self._person("instructor")
        admin, admin_password = self._person("admin", is_staff=True, is_superuser=True)
        exams, *others, sleep = [self._survey(instructor, taught) for taught in CLASSES]
        self._lesson(exams)
        self._budget([*others, sleep], admin)
        release_id = self._release(exams, admin, mechanism=Mechanism.LAPLACE_HISTOGRAM, epsilon=Fraction(1, 2))
        joint = {"mechanism": Mechanism.JOINT_TABLE, "options": {"outcome": "1"}, "epsilon": Fraction(1)}
        model_id = self._release(sleep, admin, **joint)
        address = _address_of_this_machine() if options["host"] == EVERYWHERE else options["host"]
        base = f"http://{address}:{options['port']}"
        if address != HOST:
            self.stdout.write("\nPoint a phone here to answer a survey; everybody on this network can come in.\n\n")
            self.stdout.write(qr_text(f"{base}/s/EXAMS/", coloured=self.stdout.isatty()))
        self.stdout.write(
            f"\nDeniable is ready at {base}/\n\n"
            f"  Answer a survey   {base}/s/EXAMS/   (join code EXAMS; another survey is STUDY)\n"
            f"  Every kind        {base}/s/EVERY/   (each kind of question)\n"
            f"  Teach a class     {base}/surveys/EXAMS/lesson/   as the instructor below\n"
            f"  See results       {base}/surveys/   instructor / {instructor_password}\n"
            f"  Publish a number  {base}/admin/     admin / {admin_password}\n"
            f"  A published one   {base}/r/{release_id}/\n"
            f"  A published model {base}/r/{model_id}/\n\n"
            "The simulated students' true shares: 30% of 400 copied; study aids 40, 25, 18, 12 and 5% of 2,000.\n"
            "Of 2,000 others 75% of those with short nights copied homework, and 25% of the rest.\n"
            "The passwords are new at every start. Ctrl-C stops the server.\n"
        )
        if not options["no_serve"]:
            # Read by the settings of the server, which takes this process's place.
            os.environ.setdefault("DENIABLE_ALLOWED_HOSTS", f"127.0.0.1,localhost,{address}")
            os.environ.setdefault("DENIABLE_ADDRESS", base)
            call_command("serve", host=options["host"], port=options["port"])

    def _person(self, username: str, **rights: bool) -> tuple[User, str]:
        password = secrets.token_urlsafe(12)
        user, _ = User.objects.get_or_create(username=username, defaults=rights)
        user.set_password(password)
        user.save()
        return user, password

    def _survey(self, owner: User, taught: Class) -> Survey:
        if survey := Survey.objects.filter(code=taught.code, owner=owner).first():
            return survey
        self.stdout.write(f"{taught.title}: {taught.n:,} simulated students answer …")
        draft = create_survey(
            owner=owner,
            questions=taught.questions,
            code=taught.code,
            title=taught.title,
            introduction=taught.introduction,
        )
        groups: list[Group | None] = [add_group(survey=draft, name=name) for name in taught.groups]
        survey = open_survey(survey=draft, typed=draft.code)
        each = taught.n // max(len(groups), 1)
        for group in groups or [None]:
            for number, shares in taught.kinds or ((each, taught.shares),):
                steps = simulating.simulate(survey=survey, respondents=number, shares=shares, group=group)
                progress_bar(steps, total=number, out=self.stderr)
        return close_survey(survey=survey) if taught.closed else survey

    def _lesson(self, survey: Survey) -> None:
        """Give the first survey a lesson, unless somebody has changed it meanwhile."""
        if not Lesson.objects.filter(survey=survey).exists():
            take_ready(survey=survey, name="trust")

    def _release(self, survey: Survey, admin: User, **terms: Any) -> str:
        if release := survey.releases.filter(published=True).first():
            return release.pk
        if not Budget.objects.filter(survey=survey).exists():
            set_budget(survey=survey, total_epsilon=Fraction(2), reason="For the demonstration.", user=admin)
        request = ReleaseRequest(
            survey=survey,
            questions=range(1, survey.question_count + 1),
            reason="To show what a published release looks like.",
            **terms,
        )
        if settings.RELEASES_NEED_APPROVAL:
            release = releasing.approve(proposal=releasing.propose(request, user=survey.owner), user=admin)
        else:
            release = releasing.release(request, user=admin)
        publish(release=release, user=admin)
        return release.pk

    def _budget(self, surveys: Iterable[Survey], admin: User) -> None:
        """Give each survey a budget, with a δ for the mechanisms that need one."""
        for survey in surveys:
            if not Budget.objects.filter(survey=survey).exists():
                set_budget(
                    survey=survey,
                    total_epsilon=Fraction(4),
                    total_delta=Fraction(1, 10**5),
                    reason="For the demonstration.",
                    user=admin,
                )


def _address_of_this_machine() -> str:
    """Return the address under which others on the network find this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
        except OSError:
            return HOST  # no network: only this machine is left
        return str(probe.getsockname()[0])
