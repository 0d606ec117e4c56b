"""`doctor`: say in words what is wrong with the settings, and with what stands around the program."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.upkeep.selectors.diagnosis import Grade, diagnose


class Command(BaseCommand):
    help = "Look at settings, files, database, proxy, mail, disk, clock, time zones and backups; say what is wrong."
    # A database that cannot be asked is something to say, not a reason to say nothing.
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = 0
        for finding in diagnose():
            wrong += finding.grade is Grade.WRONG
            self.stdout.write(f"{finding.grade.value:<6}{finding.subject}: {finding.words}")
        if wrong:
            raise CommandError("One thing is wrong." if wrong == 1 else f"{wrong} things are wrong.")
