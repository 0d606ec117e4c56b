"""The whole tour: all scenes, each on a fresh profile, or every so many."""

from collections.abc import Iterator

from playwright.sync_api import Page

from tests.browser import scenes_of_the_device, scenes_without_steps
from tests.browser.tour import Tour

_SCENES = (*scenes_without_steps.SCENES, *scenes_of_the_device.SCENES)


def stops(tour: Tour, first: int = 0, every: int = 1) -> Iterator[tuple[str, Page]]:
    """Go through every page and step of these scenes, and stop at each."""
    for scene in _SCENES[first::every]:
        page = tour.open_page()
        for name in scene(tour, page):
            yield name, page
        page.context.close()
