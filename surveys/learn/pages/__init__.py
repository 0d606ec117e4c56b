"""Every page of the lab: to add one, add its file here and its template in templates/learn/pages/."""

from functools import cache
from importlib import import_module
from itertools import groupby
from pkgutil import iter_modules

from surveys.learn.page import Chapter, LabPage


@cache
def lab_pages() -> dict[str, LabPage]:
    """Return all pages by slug, in their order; they are imported once somebody wants to learn."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    pages: list[LabPage] = sorted((module.PAGE for module in modules), key=lambda page: page.place)
    by_slug = {page.slug: page for page in pages}
    if len(by_slug) != len(pages):
        raise ValueError("every page must have a slug of its own")
    return by_slug


def chapters() -> list[tuple[Chapter, list[LabPage]]]:
    return [(chapter, list(pages)) for chapter, pages in groupby(lab_pages().values(), key=lambda page: page.chapter)]
