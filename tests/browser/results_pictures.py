"""Takes a picture of every page of results and files.

The file's name keeps it out of the ordinary test run; it is a test only to have the database and the server.
"""

import os
from pathlib import Path

from django.test import Client

from tests.browser.audit import Setting, look_as
from tests.browser.conftest import NewContext
from tests.browser.simulated import pages, simulated_survey
from tests.factories import make_user

SETTINGS = (Setting(390), Setting(390, dark=True), Setting(1280), Setting(1280, dark=True))


def test_every_page_of_results_has_a_picture(new_context: NewContext, site: str) -> None:
    directory = Path(os.environ["TESTS_SCREENSHOTS"])
    teacher = make_user()
    client = Client()
    client.force_login(teacher)
    context = new_context(reduced_motion="reduce")
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
    page = context.new_page()
    for name, address in pages(simulated_survey(teacher)).items():
        answered = page.goto(address)
        assert answered is not None
        assert answered.status == 200, name
        for setting in SETTINGS:
            look_as(page, setting)
            path = directory / str(setting) / f"{name.replace(' ', '-')}.png"
            page.screenshot(path=path, full_page=True)
