"""The whole tour: all scenes, each on a fresh profile."""

from collections.abc import Iterator

from playwright.sync_api import Page

from tests.browser import scenes_of_the_device, scenes_without_steps
from tests.browser.tour import Tour

_SCENES = (*scenes_without_steps.SCENES, *scenes_of_the_device.SCENES)


def stops(tour: Tour) -> Iterator[tuple[str, Page]]:
    """Go through every page and step, and stop at each."""
    for scene in _SCENES:
        page = tour.open_page()
        for name in scene(tour, page):
            yield name, page
        page.context.close()
