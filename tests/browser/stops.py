"""The whole tour: all scenes, each on a fresh profile, by one who goes round or by several in turn."""

from collections.abc import Iterator
from itertools import cycle

from playwright.sync_api import Page

from tests.browser import scenes_of_the_device, scenes_without_steps
from tests.browser.tour import Tour

_SCENES = (*scenes_without_steps.SCENES, *scenes_of_the_device.SCENES)


def stops(*tours: Tour) -> Iterator[tuple[Tour, str, Page]]:
    """Go through every page and step, each scene by the next who goes round, and stop at each."""
    for tour, scene in zip(cycle(tours), _SCENES, strict=False):
        page = tour.open_page()
        for name in scene(tour, page):
            yield tour, name, page
        page.context.close()
