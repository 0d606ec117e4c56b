"""What is said of a design whose reports stand for numbers; whatever is built for such designs asks here."""

from dataclasses import dataclass

from django.utils.functional import Promise


@dataclass(frozen=True, slots=True)
class GridWords:
    """Sentences about the most revealing report, “%(label)s”, which is likeliest where a number rounds to %(number)s.

    %(here)s of 100 send it whose number is so, and %(there)s of 100 others.
    """

    here: Promise  # above the dots of the one, and of the other
    there: Promise
    alone: Promise  # after “%(there)s of 100”, where a device randomizes: phones that send %(report)s by that alone
    of_report: Promise  # with how many reports this holds for
    shares: Promise  # the two probabilities in one sentence
    dial_here: Promise  # the shortest
    dial_there: Promise
    # Where a device randomizes: to experts, with the two probabilities exactly; in one line; by a server, of
    # %(points)s values, where %(first)s to %(last)s can be stored.
    of_matrix: Promise | str = ""
    line: Promise | str = ""
    stored: Promise | str = ""
