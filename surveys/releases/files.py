"""A release as files: as JSON, with exact numbers as texts such as "1/2", and the people that are made up from it.

docs/formats.md describes both for their readers.
"""

from typing import Any

from django.templatetags.static import static
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from surveys.common.spreadsheets import quoted_cell
from surveys.numbers.words import charge, epsilon_at_most, exact_number, whole_number
from surveys.privacy.decimals import float_not_below
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.kinds import LeaveOut
from surveys.releases.families.finding import LEVELS, finite
from surveys.releases.families.plan import Plan
from surveys.releases.families.questions import has_numbers, reported_numbers
from surveys.releases.ledger.selectors import AllVersions, TruthLoss
from surveys.releases.selectors.reading import PartReading, ReadRelease

SCHEMA = "deniable-release/1"
SCHEMA_FILE = "schemas/release-1.schema.json"
_MARK = "\ufeff"


def document_of(reading: ReadRelease) -> dict[str, Any]:
    release = reading.release
    return {
        "$schema": static(SCHEMA_FILE),
        "schema": SCHEMA,
        "id": release.pk,
        "page": reverse("release", args=[release.pk]),
        "survey": reading.definition.title,
        "language": reading.definition.language,
        "content_hash": reading.definition.version,
        "released_on": release.created_at.date().isoformat(),
        "mechanism": release.mechanism,
        "neighbouring_relation": reading.relation.name,
        "neighbours_share": ["groups_apart"] if reading.groups_apart else [],
        "exact_figures": reading.exact_figures,
        "epsilon": str(release.epsilon),
        "delta": str(release.delta),
        "truth": _truth(reading.truth),
        "all_releases_so_far": {
            "epsilon": str(reading.spent.epsilon),
            "delta": str(reading.spent.delta),
            "truth": _truth(reading.truth_so_far),
        },
        "all_versions_so_far": _versions(reading.versions),
        "parts": [_part(part) for part in reading.parts],
    }


def _versions(versions: AllVersions | None) -> dict[str, Any] | None:
    if versions is None:
        return None
    return {
        "versions": list(versions.numbers),
        "epsilon": str(versions.central.epsilon),
        "delta": str(versions.central.delta),
        "truth": {"epsilon": float_not_below(versions.truth.epsilon), "delta": float_not_below(versions.truth.delta)},
    }


def _part(reading: PartReading) -> dict[str, Any]:
    part, plan, asked = reading.part, reading.plan, reading.plan.question
    return {
        "question": asked.text,
        "kind": asked.kind,
        "answers": list(asked.first.labels),
        "reports": list(asked.first.report_labels),
        "items": [item.option for item in asked.items if item.option],
        "prefers_not_to_say": asked.protects_leaving_out,
        **_beside(plan),
        **_numbers(asked),
        "n": part.n,
        "draws": _draws(reading),
        "epsilon": part.parameters["epsilon"],
        "delta": part.parameters["delta"],
        "sensitivity": part.parameters["sensitivity"],
        "norm": part.parameters["norm"],
        "noise": [source.document() for source in plan.noise()],
        "options": part.parameters["options"],
        "design": _design(asked.design),
        "output": part.output,
        "found": reading.finding.document(),
        "accuracy": [_accuracy(reading, level) for level in LEVELS],
        "truth": _truth(reading.truth),
    }


def _beside(plan: Plan) -> dict[str, Any]:
    """Return what was counted jointly with this question: others, and groups; else the part says nothing of it."""
    _outcome, *beside = plan.columns
    questions = [
        {
            "question": column.text,
            "kind": column.kind,
            "answers": list(column.labels),
            "reports": list(column.report_labels),
            "prefers_not_to_say": column.leave_out == LeaveOut.PROTECTED,
            "design": _design(column.design),
        }
        for column in beside
    ]
    return {"beside": questions} if questions else {}


def _design(design: Design) -> dict[str, Any]:
    return {
        "name": design.name,
        "rows": "reports",
        "columns": "answers",
        "matrix": [[str(entry) for entry in row] for row in design.matrix],
    }


def _numbers(asked: AskedQuestion) -> dict[str, Any]:
    """Return what each answer counts for, null for saying none; the edges of bands; between which limits numbers are.

    Without numbers there is none of them.
    """
    if not has_numbers(asked):
        return {"values": None, "edges": None, "limits": None}
    numbers = reported_numbers(asked)
    return {
        "values": [None if number is None else str(number) for number in numbers.numbers],
        "edges": [str(edge) for edge in asked.edges] or None,
        "limits": [str(numbers.low), str(numbers.high)],
    }


def _draws(reading: PartReading) -> dict[str, Any]:
    draws = reading.draws
    return {
        "number": draws.number,
        "of": draws.total,
        "chosen_from": draws.chosen_from,
        "others": [
            {"number": number, "release": draw.release, "mechanism": draw.mechanism, "published": draw.published}
            for number, draw in draws.siblings
        ],
    }


def _accuracy(reading: PartReading, level: float) -> dict[str, Any]:
    accuracy = reading.plan.accuracy(level)
    return {
        "confidence_level": level,
        "unit": accuracy.unit,
        "at_most": finite(accuracy.at_most),
        "at_best": finite(accuracy.at_best),
        "percentage_points": finite(accuracy.points),
    }


def _truth(loss: TruthLoss) -> dict[str, Any]:
    """Return bounds, rounded up to floats and no further."""
    return {
        "local_epsilon": finite(loss.local_epsilon),
        "epsilon": float_not_below(loss.epsilon),
        "delta": float_not_below(loss.delta),
    }


# People who do not exist, with the privacy label of the release that they are made up from.


def synthetic_csv(reading: ReadRelease) -> bytes:
    """Return made-up respondents as UTF-8 with commas and CRLF, below the four lines of a label, which begin with #."""
    part = reading.parts[0]
    people = part.plan.synthetic(part.part.output)
    # Readers that pass over lines still look for the quotation mark that ends one.
    label = [f"# {' '.join(line.split())}".replace('"', "'") for line in _label(reading, len(people.rows))]
    rows = [",".join(map(quoted_cell, row)) for row in (people.questions, *people.rows)]
    return (_MARK + "".join(f"{line}\r\n" for line in (*label, *rows))).encode()


def _label(reading: ReadRelease, number: int) -> list[str]:
    release, truth = reading.release, reading.truth
    return [
        _("Synthetic respondents. Nobody in this file is a real person."),
        _("%(number)s rows, drawn from release %(release)s of %(day)s (“%(survey)s”): %(page)s")
        % {
            "number": whole_number(number),
            "release": release.pk,
            "day": date_format(release.created_at),
            "survey": reading.definition.title,
            "page": reverse("release", args=[release.pk]),
        },
        _(
            "Privacy label. This file was made only from published counts, so it costs nothing more. The "
            "release reveals at most central ε = %(epsilon)s, δ = %(delta)s about a response, and %(bound)s, δ "
            "≤ %(truth_delta)s about its true answers."
        )
        % {
            "epsilon": exact_number(release.epsilon),
            "delta": exact_number(release.delta),
            "bound": epsilon_at_most(truth.epsilon),
            "truth_delta": charge(truth.delta),
        },
        _("This file is for teaching. Its patterns hold for true answers only as far as the release shows them."),
    ]
