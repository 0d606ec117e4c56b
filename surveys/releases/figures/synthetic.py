"""Synthetic respondents as a file that carries its privacy label with it."""

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from surveys.common.spreadsheets import quoted_cell
from surveys.numbers.words import charge, epsilon_at_most, exact_number, whole_number
from surveys.releases.selectors.reading import ReadRelease

_MARK = "\ufeff"


def synthetic_csv(reading: ReadRelease) -> bytes:
    """Return made-up respondents as UTF-8 with commas and CRLF, below the lines of a label, which begin with #."""
    part = reading.parts[0]
    people = part.terms.offer.synthetic(part.terms, part.part.output)
    label = [f"# {' '.join(line.split())}" for line in _label(reading, len(people.rows))]
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
