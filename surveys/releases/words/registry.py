"""A release as a draft for the Differential Privacy Deployments Registry (OpenDP, NIST), in its schema of July 2026.

`TO_BE_ADDED` stands for what no release says: who published the data, where and what for, and why so.
"""

from typing import Any

from django.urls import reverse
from django.utils import translation

from surveys import __version__
from surveys.common.metadata import TO_BE_ADDED, yaml_of
from surveys.privacy.decimals import float_not_below
from surveys.releases.selectors.reading import PartReading, ReadRelease
from surveys.releases.words.opendp import measurement_words
from surveys.releases.words.release import exact_figures_words, neighbours_share

_COMPLETE = 3  # the tier of an entry that says all there is to say


def registry_entry(reading: ReadRelease) -> str:
    """Return the entry as YAML, in English but for the texts of the survey."""
    with translation.override("en"):
        return yaml_of(
            {
                "url_slug": f"deniable-{reading.release.pk}",
                "status": "Draft",
                "tier": _COMPLETE,
                "deployment": {
                    "basic": _basic(reading),
                    "dp_variant": _variant(reading),
                    "privacy_loss": _privacy_loss(reading),
                    "deployment_model": _model(reading),
                    "accounting": _accounting(),
                    "implementation": _implementation(reading),
                    "administrative": _administrative(reading),
                },
            }
        )


def registry_name(release_id: str) -> str:
    """Return what the file is called: the registry takes lowercase letters, digits and underscores."""
    return f"deniable_{release_id}.yaml".lower().replace("-", "_")


def _basic(reading: ReadRelease) -> dict[str, Any]:
    questions = "; ".join(f"“{question.text}”" for part in reading.parts for question in part.plan.questions)
    return {
        "name": f"{reading.definition.title} (release {reading.release.pk})",
        "data_curators": [TO_BE_ADDED],
        "intended_use": TO_BE_ADDED,
        "data_product_type": "Summary statistics",
        "data_product_region": TO_BE_ADDED,
        "description": (
            f"{_first(reading).plan.sentence} From a survey with randomized response. Questions: {questions}"
        ),
        "publication_date": reading.release.created_at.date().isoformat(),
    }


def _variant(reading: ReadRelease) -> dict[str, Any]:
    people = ", ".join(str(part.plan.n) for part in reading.parts)
    unprotected = ["The number of answers to each question."]
    if any(question.can_be_left_out for part in reading.parts for question in part.plan.questions):
        unprotected.append("How many skipped each question, where skipping is visible.")
    if reading.groups_apart:
        unprotected.append("Which groups have reached the minimum number of responses.")
    if words := exact_figures_words(reading.exact_figures):
        unprotected.append(str(words))
    return {
        "variant_name": "Approximate DP" if reading.release.delta else "Pure DP",
        "data_domain": (
            f"The reports of {people} people (by part), as codes. A report is a true answer after local randomization, "
            "or the answer itself where a question is unprotected."
        ),
        "unprotected_quantities": " ".join(unprotected),
    }


def _privacy_loss(reading: ReadRelease) -> dict[str, Any]:
    release, truth, spent = reading.release, reading.truth, reading.spent
    losses = [part.plan.mechanism.concentrated for part in reading.parts]
    parameters = {"epsilon": float_not_below(release.epsilon), "delta": float_not_below(release.delta)}
    known = [loss.rho for loss in losses if loss is not None]
    same = ""
    if len(known) == len(losses):
        parameters["rho"] = float_not_below(sum(known))
        same = " As zero-concentrated DP, the same output costs rho."
    shared = f" {neighbours_share()}" if reading.groups_apart else ""
    return {
        "privacy_unit": "One response to the survey",
        "privacy_unit_details": (
            f"{reading.relation.name}: adjacent data sets have the same number of answers and differ in one response. "
            f"The number of answers is public. A person who responds twice is two units.{shared}"
        ),
        "privacy_parameters": parameters,
        "privacy_parameters_details": (
            f"Exactly: epsilon = {release.epsilon}, delta = {release.delta}. All releases of this survey up to this "
            f"one: epsilon = {spent.epsilon}, delta = {spent.delta}. About the true answers behind the reports, this "
            f"release reveals at most epsilon = {float_not_below(truth.epsilon)}, "
            f"delta = {float_not_below(truth.delta)}.{same}"
        ),
    }


def _model(reading: ReadRelease) -> dict[str, Any]:
    local = reading.truth.local_epsilon
    return {
        "model_name": "Central",
        "model_name_details": (
            "Local, then central: respondents randomize their answers before sending them, and the release adds noise "
            f"to counts of these reports. The parameters above are of the central step. Local epsilon: {local}."
        ),
        "actors": (
            "Respondents: their device, their own coins or, if they choose, the server randomizes; the server is then "
            "trusted not to keep the true answer. Survey owner and server administrators: can read reports. "
            "The public: sees the release alone."
        ),
        "release_type": "One release",
        "release_type_details": (
            "One draw, stored and never repeated. Further releases of the survey are charged to the same budget."
        ),
        "data_source_type": "Static",
        "data_source_type_details": "A release reads the reports that were counted when it was drawn.",
        "access_type": "Non-interactive",
    }


def _accounting() -> dict[str, Any]:
    return {
        "post_processing": "Estimates, intervals and charts are computed from the noisy output and the public designs.",
        "composition": (
            "Basic composition: epsilon and delta are split evenly over the parts of a release, and those of all "
            "releases add up. A budget that the database enforces limits the sum."
        ),
    }


def _implementation(reading: ReadRelease) -> dict[str, Any]:
    plan = _first(reading).plan
    parts = "\n".join(_part(number, part) for number, part in enumerate(reading.parts, start=1))
    return {
        "preprocessing_and_hyperparameter_tuning": (
            "None by the program: the terms of a release follow from the questions and the number of answers. People "
            "who work on the survey can see its results before they choose what to release. That choice is not "
            "accounted for."
        ),
        "mechanisms": (
            f"{plan.explanation} {plan.exactness_sentence} Implemented in Deniable {__version__} "
            f"({reading.release.mechanism}).\n{parts}"
        ),
        "justification": TO_BE_ADDED,
    }


def _part(number: int, reading: PartReading) -> str:
    plan = reading.plan
    noise = "; ".join(
        ", ".join(f"{name} {value}" for name, value in source.document().items()) for source in plan.noise()
    )
    return (
        f"- Part {number}: epsilon {plan.loss.epsilon}, delta {plan.loss.delta}, sensitivity {plan.sensitivity_words}. "
        f"Noise: {noise}. OpenDP: {measurement_words(plan.noise())}"
    )


def _administrative(reading: ReadRelease) -> dict[str, Any]:
    pk, references = reading.release.pk, "; ".join(" ".join(each) for each in _first(reading).plan.references)
    paths = " and ".join(reverse(name, args=[pk]) for name in ("release", "release-json"))
    return {
        "sources": f"{paths}, below the address of the site. {references}",
        "notes": f"{TO_BE_ADDED} stands for what the curator has to add before submitting this entry.",
        "registry_authors": [TO_BE_ADDED],
    }


def _first(reading: ReadRelease) -> PartReading:
    """Return the first part: the mechanism, and what it says of itself, is the same for all."""
    return reading.parts[0]
