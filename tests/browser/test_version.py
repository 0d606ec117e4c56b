"""The page of the version, as an auditor sees it."""

from pathlib import Path

from django.contrib.auth.models import User
from pytest_django import Settings

from surveys.course.services import close_survey, purge_survey
from tests.browser.audit import Setting, faults, look_as
from tests.browser.conftest import SignedIn
from tests.factories import make_open
from tests.upkeep.backups import back_up_to


def test_nothing_is_wrong_with_it_in_any_setting(
    signed_in: SignedIn, teacher: User, site: str, settings: Settings, tmp_path: Path
) -> None:
    settings.BACKUP_DIR = tmp_path
    User.objects.filter(pk=teacher.pk).update(is_staff=True)
    survey = close_survey(survey=make_open())
    back_up_to(tmp_path)
    purge_survey(survey=survey)
    page = signed_in(reduced_motion="reduce").new_page()
    page.goto(f"{site}/admin/version/")
    assert survey.code in page.locator("main").inner_text()
    wrong = []
    for setting in (Setting(390), Setting(320, dark=True), Setting(1280), Setting(1280, forced=True)):
        look_as(page, setting)
        wrong += [f"{setting}: {fault}" for fault in faults(page)]
    assert wrong == []
