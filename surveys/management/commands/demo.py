"""`demo`: a class to look at, filled through the real randomizer and the real submission service, and served."""

import secrets
import uuid
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from surveys.management.commands.serve import require_free
from surveys.management.progress import progress_bar
from surveys.models import Mechanism, Survey
from surveys.services import releasing, simulating
from surveys.services.surveys import QuestionDraft, create_survey, open_survey

HOST = "127.0.0.1"
FAIR_COINS = {"truth": [1, 2], "yes": [1, 2]}
EXAM_SHARES = [[Fraction(7, 10), Fraction(3, 10)]]
AID_SHARES = [[Fraction(40, 100), Fraction(25, 100), Fraction(18, 100), Fraction(12, 100), Fraction(5, 100)]]
EXAMS = QuestionDraft(
    kind="yes_no",
    text="Have you ever copied from somebody else in an exam at this school?",
    options=[],
    design="forced_response",
    parameters=FAIR_COINS,
    leave_out="visibly",
)
AIDS = QuestionDraft(
    kind="one_of",
    text="Which of these did you last use to get through a night of studying?",
    options=[
        "Nothing",
        "Coffee or energy drinks",
        "Caffeine tablets",
        "Somebody else’s prescription",
        "Something illegal",
    ],
    design="k_ary",
    parameters={"truth": [1, 2]},
    leave_out="no",
)


class Command(BaseCommand):
    help = "Fill two surveys with simulated respondents, make one release, print the logins and serve it all."

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
        exams = self._survey(instructor, "EXAMS", title="Exams, honestly", question=EXAMS, shares=EXAM_SHARES, n=400)
        self._survey(instructor, "STUDY", title="Studying at night", question=AIDS, shares=AID_SHARES, n=2000)
        release_id = self._release(exams, admin)
        base = f"http://{HOST}:{options['port']}"
        self.stdout.write(
            f"\nDeniable is ready at {base}/\n\n"
            f"  Answer a survey   {base}/s/EXAMS/   (join code EXAMS; the other survey is STUDY)\n"
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

    def _survey(
        self,
        owner: User,
        code: str,
        *,
        title: str,
        question: QuestionDraft,
        shares: Sequence[Sequence[Fraction]],
        n: int,
    ) -> Survey:
        if survey := Survey.objects.filter(code=code, owner=owner).first():
            return survey
        self.stdout.write(f"{title}: {n:,} simulated students answer …")
        survey = open_survey(
            survey=create_survey(
                owner=owner,
                questions=[question],
                code=code,
                title=title,
                introduction="Your phone adds chance to every answer before it leaves. Nobody can know what you meant.",
            )
        )
        progress_bar(simulating.simulate(survey=survey, respondents=n, shares=shares), total=n, out=self.stderr)
        return survey

    def _release(self, survey: Survey, admin: User) -> str:
        if release := survey.releases.filter(published=True).first():
            return release.pk
        releasing.set_budget(survey=survey, total_epsilon=Fraction(2), user=admin)
        release = releasing.release(
            user=admin,
            survey=survey,
            question=survey.questions.get(),
            mechanism=Mechanism.LAPLACE_HISTOGRAM,
            epsilon=Fraction(1, 2),
            request_key=uuid.uuid4(),
        )
        releasing.publish(release=release, user=admin)
        return release.pk
