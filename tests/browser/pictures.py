"""Takes a picture of every page and step of a respondent.

The file's name keeps it out of the ordinary test run; it is a test only to have the database and the server.
"""

import os
import re
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Page
from pytest_django.fixtures import Settings

from tests.browser.audit import Setting, look_as
from tests.browser.conftest import NewContext
from tests.browser.stops import stops
from tests.browser.tour import Tour
from tests.i18n.pseudo import use_pseudo

PHONE, PHONE_DARK, DESK, DESK_DARK = Setting(390), Setting(390, dark=True), Setting(1280), Setting(1280, dark=True)
# Forced colours on pages of their own: Chromium leaves some of them behind when they end.
SETTINGS = [
    ("en", (PHONE, PHONE_DARK, DESK, DESK_DARK, Setting(320))),
    ("en", (Setting(390, forced=True),)),
    ("de", (PHONE,)),
    ("es", (Setting(320),)),
    # From right to left, and half as long again in a language of the tests.
    ("he", (PHONE, DESK_DARK)),
    ("eo", (Setting(320), DESK)),
]


@pytest.mark.parametrize(("language", "seen"), SETTINGS)
def test_every_step_has_a_picture(
    new_context: NewContext, settings: Settings, language: str, seen: tuple[Setting, ...]
) -> None:
    use_pseudo(settings)
    directory = Path(os.environ["TESTS_SCREENSHOTS"])
    numbers = count(1)

    def open_page(**options: object) -> Page:
        return new_context(locale=language, reduced_motion="reduce", **options).new_page()

    for step, page in stops(Tour(open_page, language)):
        name = f"{next(numbers):03} {step}"
        for setting in seen:
            look_as(page, setting)
            path = directory / f"{language} {setting}" / (re.sub(r"\W+", "-", name).strip("-") + ".png")
            page.screenshot(path=path, full_page=True)
            assert path.stat().st_size > 0
