"""A release for others: a draft for the registry of deployments, and its measurement as OpenDP builds it."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.models import Mechanism, Release
from surveys.releases.families.plan import Plan
from surveys.releases.selectors.reading import ReadRelease, reading_of
from surveys.releases.words.opendp import opendp_program
from surveys.releases.words.registry import registry_entry, registry_name
from tests.releases.every_release import HOSTILE, every_release, survey_of_every_kind
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db

# The registry's fields and the values that it lists, as of July 2026.
_TEXT: tuple[str, ...] = ()
FIELDS: dict[str, Any] = {
    "url_slug": _TEXT,
    "status": ("Draft",),
    "tier": (3,),
    "deployment": {
        "basic": {
            "name": _TEXT,
            "data_curators": [_TEXT],
            "intended_use": _TEXT,
            "data_product_type": ("Summary statistics", "Dataset", "Synthetic data"),
            "data_product_region": _TEXT,
            "description": _TEXT,
            "publication_date": _TEXT,
        },
        "dp_variant": {
            "variant_name": ("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"),
            "data_domain": _TEXT,
            "unprotected_quantities": _TEXT,
        },
        "privacy_loss": {
            "privacy_unit": _TEXT,
            "privacy_unit_details": _TEXT,
            "privacy_parameters": {"epsilon": float, "delta": float, "rho": float},
            "privacy_parameters_details": _TEXT,
        },
        "deployment_model": {
            "model_name": ("Local", "Central", "Shuffle", "Federated"),
            "model_name_details": _TEXT,
            "actors": _TEXT,
            "release_type": ("One release", "Many releases"),
            "release_type_details": _TEXT,
            "data_source_type": ("Static", "Dynamic"),
            "data_source_type_details": _TEXT,
            "access_type": ("Interactive", "Non-interactive"),
        },
        "accounting": {"post_processing": _TEXT, "composition": _TEXT},
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": _TEXT,
            "mechanisms": _TEXT,
            "justification": _TEXT,
        },
        "administrative": {"sources": _TEXT, "notes": _TEXT, "registry_authors": [_TEXT]},
    },
}
_MAY_BE_ABSENT = {"rho"}
NOT_IN_OPENDP = {Mechanism.SMOOTH_MEDIAN, Mechanism.STABLE_MODE, Mechanism.STABLE_MEDIAN}


def _faults(value: object, wanted: object, at: str = "") -> list[str]:
    """Return where an entry is not as the registry takes it."""
    if isinstance(wanted, Mapping):
        if not isinstance(value, dict):
            return [at]
        names = [f"{at}.{name}" for name in (value.keys() ^ wanted.keys()) - _MAY_BE_ABSENT]
        both = value.keys() & wanted.keys()
        return names + [fault for name in both for fault in _faults(value[name], wanted[name], f"{at}.{name}")]
    if isinstance(wanted, list):
        each = value if isinstance(value, list) and value else [None]
        return [fault for one in each for fault in _faults(one, wanted[0], at)]
    if wanted is float:
        return [] if isinstance(value, int | float) else [at]
    if wanted == _TEXT:
        return [] if isinstance(value, str) and value else [at]
    return [] if value in tuple(wanted) else [at]  # type: ignore[arg-type]


def _readings() -> list[ReadRelease]:
    made = every_release(survey_of_every_kind(n=300, seed=3, note=f" {HOSTILE} \\ \"'"))
    return [reading_of(Release.objects.get(pk=release.pk)) for release in list(made)]


def _parts_of(program: str) -> dict[int, list[tuple[Any, Any]]]:
    pytest.importorskip("opendp.prelude")
    space: dict[str, Any] = {}
    exec(program, space)  # noqa: S102 - as its readers run it
    parts: dict[int, list[tuple[Any, Any]]] = space["parts"]
    return parts


def _costs_as_released(plan: Plan, measurements: list[tuple[Any, Any]]) -> bool:
    """Whether the privacy map of all measurements together gives the ε of this part, or its ρ."""
    cost = sum(measurement.map(d_in) for measurement, d_in in measurements)
    measure = {str(measurement.output_measure) for measurement, _d_in in measurements}
    if measure == {"MaxDivergence"}:
        return bool(cost == pytest.approx(float(plan.loss.epsilon), rel=1e-9)) and not plan.loss.delta
    concentrated = plan.mechanism.concentrated
    return (
        measure == {"ZeroConcentratedDivergence"}
        and concentrated is not None
        and bool(cost == pytest.approx(float(concentrated.rho), rel=1e-9))
    )


@pytest.mark.oracle
def test_what_is_said_of_every_mechanism_in_the_registry_and_in_opendp(capsys: pytest.CaptureFixture[str]) -> None:
    absent, wrong = set(), []
    for reading in _readings():
        program, mechanism = opendp_program(reading), reading.release.mechanism
        parts = _parts_of(program)
        if not parts:
            absent.add(mechanism)
            assert len(re.findall(r"\n    # Part \d: OpenDP has no ", program)) == len(reading.parts)
        else:
            assert list(parts) == list(range(1, len(reading.parts) + 1))
        wrong += [
            (mechanism, number)
            for number, measurements in parts.items()
            if not _costs_as_released(reading.parts[number - 1].plan, measurements)
        ]
        # Nothing that people wrote is in the program.
        assert program.isascii()
        entry = pytest.importorskip("yaml").safe_load(registry_entry(reading))
        assert _faults(entry, FIELDS) == []
        loss = entry["deployment"]["privacy_loss"]["privacy_parameters"]
        assert Fraction(loss["epsilon"]) >= reading.release.epsilon
        assert Fraction(loss["delta"]) >= reading.release.delta
        approximate = entry["deployment"]["dp_variant"]["variant_name"] == "Approximate DP"
        assert approximate is bool(reading.release.delta)
        assert HOSTILE in entry["deployment"]["basic"]["description"]
        said = entry["deployment"]["implementation"]["mechanisms"]
        assert said.count("OpenDP has no" if not parts else "dp.m.make_") >= len(reading.parts)
    assert wrong == []
    assert absent == NOT_IN_OPENDP
    assert "MaxDivergence" in capsys.readouterr().out


@pytest.mark.oracle
def test_a_scale_that_is_not_the_releases_is_noticed() -> None:
    reading = reading_of(published_release(ready_survey()))
    program = opendp_program(reading)
    plan = reading.parts[0].plan
    assert _costs_as_released(plan, _parts_of(program)[1])
    planted = re.sub(r"scale=([\d.]+)", lambda found: f"scale={float(found[1]) * 1.001}", program)
    assert not _costs_as_released(plan, _parts_of(planted)[1])


def test_the_file_has_a_name_that_the_registry_takes() -> None:
    assert registry_name("ObonX69x-yEn") == "deniable_obonx69x_yen.yaml"


def test_gaussian_noise_states_its_rho_too() -> None:
    release = published_release(
        ready_survey(delta=Fraction(1, 10**6)),
        mechanism=Mechanism.GAUSSIAN_HISTOGRAM,
        epsilon=1,
        delta=Fraction(1, 10**6),
    )
    reading = reading_of(release)
    parameters = pytest.importorskip("yaml").safe_load(registry_entry(reading))["deployment"]["privacy_loss"][
        "privacy_parameters"
    ]
    concentrated = reading.parts[0].plan.mechanism.concentrated
    assert concentrated
    assert parameters == {"epsilon": 1.0, "delta": pytest.approx(1e-6), "rho": pytest.approx(float(concentrated.rho))}


def test_the_page_leads_to_both_files_which_never_change(client: Client) -> None:
    release = published_release(ready_survey())
    page = client.get(f"/r/{release.pk}/").content.decode()
    for name, kind in (("opendp.py", "text/x-python"), ("registry.yaml", "application/yaml")):
        assert f'href="/r/{release.pk}/{name}"' in page
        first, second = (client.get(f"/r/{release.pk}/{name}") for _ in range(2))
        assert first.content == second.content
        assert first["Content-Type"].startswith(kind)
        assert "attachment" in first["Content-Disposition"]
