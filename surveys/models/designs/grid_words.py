"""What is said of a design whose reports stand for numbers; whatever is built for such designs asks here."""

from dataclasses import dataclass

from django.utils.functional import Promise


@dataclass(frozen=True, slots=True)
class GridWords:
    """Sentences about the report that tells most, “%(label)s”, which is likeliest where a number rounds to %(number)s.

    %(here)s of 100 send it whose number is so, and %(there)s of 100 others.
    """

    of_matrix: Promise  # to experts: %(near)s and %(far)s are the two chances, exactly
    here: Promise  # above the dots of the one, and of the other
    there: Promise
    alone: Promise  # after “%(there)s of 100”: phones that send %(report)s by chance
    line: Promise
    of_report: Promise  # with how many reports this holds for
    stored: Promise  # by a server, of %(points)s values; %(first)s and %(last)s can be stored
    told: Promise
    dial_here: Promise  # the shortest
    dial_there: Promise
