"""What is loaded when somebody asks for it is there then, and not before."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.contrib import admin
from django.core import checks
from django.template import engines
from django.urls import URLPattern, URLResolver, get_resolver

from surveys.common.on_demand import Templates, Views, _View
from surveys.models import Survey
from tests.server import run

# Of each: of the libraries, of the mathematics, and of what only instructors, admins and learners see.
HEAVY = ("numpy", "scipy", "openpyxl", "segno", "cryptography", "prometheus_client", "surveys.admin", "surveys.charts",
         "surveys.estimation", "surveys.privacy.mechanisms", "surveys.releases.mechanisms", "surveys.results.report",
         "surveys.learn.page", "surveys.editor.views", "surveys.upkeep")  # fmt: skip
WORKER = """
import surveys.asgi, sys
from django.test import RequestFactory
from surveys.asgi import handler
front_page = handler.get_response(RequestFactory(HTTP_HOST="127.0.0.1").get("/"))
assert front_page.status_code == 200
"""
# And what is imported at the first use of a function: by name, as `scipy.optimize` is.
EVERYTHING = """
import os, pkgutil, sys
from importlib import import_module
import surveys.wsgi
for module in pkgutil.walk_packages(surveys.__path__, "surveys."):
    if module.name != "surveys.asgi" and ".commands." not in module.name:
        import_module(module.name)
import scipy.linalg, scipy.optimize
"""


def _loaded(code: str, directory: Path, *names: str) -> set[str]:
    """Return which of these modules a new process has loaded after this."""
    asked = f"print('loaded', *(set({list(names)!r}) & sys.modules.keys()))"
    done = run(sys.executable, "-c", f"{code}\n{asked}", DENIABLE_DATA_DIR=str(directory), DENIABLE_LOCAL_DEMO="1",
               DENIABLE_STATIC_ROOT=str(directory), DJANGO_SETTINGS_MODULE="tests.settings")  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split()) - {"loaded"}


@pytest.mark.uncounted
def test_a_worker_that_only_respondents_visit_loads_nothing_heavy(tmp_path: Path) -> None:
    assert _loaded(WORKER, tmp_path, *HEAVY, "surveys.answering.views.pages") == {"surveys.answering.views.pages"}


@pytest.mark.uncounted
def test_who_has_signed_in_finds_results_loaded(tmp_path: Path) -> None:
    loaded = _loaded(f"{WORKER}\nsurveys.asgi._load_results().join()", tmp_path, *HEAVY, "scipy.optimize")
    assert loaded >= {"scipy.optimize", "surveys.results.report", "surveys.estimation"}


@pytest.mark.uncounted
def test_nothing_of_the_program_loads_the_statistics_of_scipy(tmp_path: Path) -> None:
    assert _loaded(EVERYTHING, tmp_path, *HEAVY, "scipy.stats") == {*HEAVY} - {"prometheus_client", "openpyxl"}


def _views(patterns: Sequence[URLPattern | URLResolver]) -> Iterator[_View]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _views(pattern.url_patterns)
        elif isinstance(pattern.callback, _View):
            yield pattern.callback


def test_every_address_leads_to_a_view() -> None:
    views = list(_views(get_resolver().url_patterns))
    assert len(views) > 80
    assert all(callable(view._view) for view in views)


def test_a_view_that_is_not_there_would_be_found() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = Views("surveys.common.views").nothing._view


def test_all_tags_can_be_loaded() -> None:
    (engine,) = (engine for engine in engines.all() if isinstance(engine, Templates))
    libraries = engine.engine.template_libraries
    assert len(libraries._ours) > 20
    assert all(libraries[name].tags or libraries[name].filters for name in libraries._ours)
    with pytest.raises(KeyError):
        libraries["nothing"]


def test_the_admin_site_has_no_fault() -> None:
    assert checks.run_checks(tags=[checks.Tags.admin, checks.Tags.urls]) == []
    assert admin.site.is_registered(Survey)
