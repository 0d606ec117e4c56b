"""Takes a picture of every step of a respondent.

The file's name keeps it out of the ordinary test run; it is a test only to have the database and the server.
"""

import os
import re
from pathlib import Path

import pytest

from tests.browser.conftest import PHONE, NewContext
from tests.browser.test_respondent_pages import make_long, steps

SIZES = {"phone": PHONE, "desk": {"width": 1280, "height": 800}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES.keys())
def test_every_step_has_a_picture(new_context: NewContext, size: dict[str, int], scheme: str) -> None:
    directory = Path(os.environ["DENIABLE_SCREENSHOTS"])
    page = new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce").new_page()
    for number, step in enumerate(steps(page, make_long()), start=1):
        name = re.sub(r"\W+", "-", step).strip("-")
        path = directory / f"{number:02}-{name}-{size['width']}-{scheme}.png"
        page.screenshot(path=path, full_page=True)
        assert path.stat().st_size > 0
