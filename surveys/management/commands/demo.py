"""`demo`: a class to look at, filled through the real randomizer and the real submission service, and served."""

import secrets
import uuid
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from surveys.answering.services import perturbing
from surveys.course.services import open_survey
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import create_survey
from surveys.management.classes import CLASSES, Class
from surveys.management.commands.serve import require_free
from surveys.management.progress import progress_bar
from surveys.models import Budget, Group, Mechanism, Survey
from surveys.releases.ledger.services import set_budget
from surveys.releases.services import releasing
from surveys.releases.services.releasing import publish

HOST = "127.0.0.1"


class Command(BaseCommand):
    help = "Fill three surveys with simulated respondents, make one release, print the logins and serve it all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-serve", action="store_true", help="fill and print, but do not start the server")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["no_serve"]:
            require_free(HOST, options["port"])
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        instructor, instructor_password = self._person("instructor")
        admin, admin_password = self._person("admin", is_staff=True, is_superuser=True)
        exams, *others = [self._survey(instructor, taught) for taught in CLASSES]
        release_id = self._release(exams, admin)
        self._budget(others, admin)
        base = f"http://{HOST}:{options['port']}"
        self.stdout.write(
            f"\nDeniable is ready at {base}/\n\n"
            f"  Answer a survey   {base}/s/EXAMS/   (join code EXAMS; another survey is STUDY)\n"
            f"  Every kind        {base}/s/EVERY/   (each kind of question, each way to add chance)\n"
            f"  See results       {base}/surveys/   instructor / {instructor_password}\n"
            f"  Publish a number  {base}/admin/     admin / {admin_password}\n"
            f"  A published one   {base}/r/{release_id}/\n\n"
            "The simulated students' true shares: 30% of 400 copied; study aids 40, 25, 18, 12 and 5% of 2,000.\n"
            "The passwords are new at every start. Ctrl-C stops the server.\n"
        )
        if not options["no_serve"]:
            call_command("serve", host=HOST, port=options["port"])

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
            steps = perturbing.simulate(survey=survey, respondents=each, shares=taught.shares, group=group)
            progress_bar(steps, total=each, out=self.stderr)
        return survey

    def _release(self, survey: Survey, admin: User) -> str:
        if release := survey.releases.filter(published=True).first():
            return release.pk
        set_budget(survey=survey, total_epsilon=Fraction(2), reason="For the demonstration.", user=admin)
        release = releasing.release(
            user=admin,
            survey=survey,
            questions=[survey.questions.get()],
            mechanism=Mechanism.LAPLACE_HISTOGRAM,
            epsilon=Fraction(1, 2),
            reason="To show what a published release looks like.",
            request_key=uuid.uuid4(),
        )
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
