"""What terms of a survey's course mean: the fewest answers, sealing, releases, their budget."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.common.numbers import whole
from surveys.selectors.explaining import Facts


def minimum_n(facts: Facts | None) -> str:
    """Say why few answers show nothing."""
    meaning = _(
        "While answers are few, the results show nothing but their count: a share of five people says much about each "
        "of them and little about anybody else."
    )
    if facts is None or facts.minimum_n is None:
        return meaning
    return ngettext(
        "%(meaning)s Here they appear from %(minimum)s answer on, and of each group likewise.",
        "%(meaning)s Here they appear from %(minimum)s answers on, and of each group likewise.",
        facts.minimum_n,
    ) % {"meaning": meaning, "minimum": whole(facts.minimum_n)}


def seal(_facts: Facts | None) -> str:
    """Say what sealing destroys and keeps."""
    return _(
        "Sealing a closed survey is for good. What is left are the counts of reports, from which all results are "
        "computed; the order in which they came, the marks against sending twice and the invitations are destroyed. "
        "Results and exports stay as they are."
    )


def release(_facts: Facts | None) -> str:
    """Say what a release is."""
    return _(
        "A result with further chance added on the server, drawn once and never again, so that it may be published "
        "for everybody. It is the same at every visit, and its ε is charged to the survey’s budget."
    )


def budget(_facts: Facts | None) -> str:
    """Say what is spent."""
    return _(
        "The most that all releases of this survey together may give away about any one set of reports, as ε. Each "
        "release is charged before it is drawn; one that would cost more than is left is refused, and nothing is "
        "ever paid back."
    )
