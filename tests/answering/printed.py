"""What somebody does who knows only the printed page: throws, reads the tables, taps; every outcome is gone through.

Nothing here knows how the page was made: words and numbers are read back from its HTML.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from tests.pages import words_of

FACES = ("heads", "tails")
COUNTED = {"one coin": 1, "two coins": 2, "three coins": 3, "four coins": 4}
AGAIN, ONWARD = "doesn’t count, so repeat only this throw", "throw once more (see below)"
Outcome = tuple[str, ...]
Shares = dict[str, Fraction]


@dataclass(frozen=True)
class Table:
    caption: str
    heading: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Printed:
    """One question of the page: its words, its tables, and the codes that its labels stand for, by field."""

    text: str
    tables: tuple[Table, ...]
    codes: dict[str, dict[str, str]]


def questions_of(html: str) -> list[Printed]:
    """Return what the own-coin form prints for each question."""
    form = html[html.index("<form") : html.index("</form>")]
    blocks = re.split(r'<fieldset class="field">', form)[1:]
    return [_question(block) for block in blocks]


def _question(block: str) -> Printed:
    codes: dict[str, dict[str, str]] = defaultdict(dict)
    for name, value, label in re.findall(
        r'type="radio" name="([^"]+)" value="([^"]+)"[^>]*> <bdi>([^<]*)</bdi></label>', block
    ):
        codes[name][words_of(label)] = value
    return Printed(
        words_of(block), tuple(_table(table) for table in re.findall(r"<table.*?</table>", block, re.DOTALL)), codes
    )


def _table(html: str) -> Table:
    heads = re.findall(r'<th scope="col">(.*?)</th>', html, re.DOTALL)
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td></tr>', html, re.DOTALL)
    caption = re.findall(r"<caption>(.*?)</caption>", html, re.DOTALL)[0]
    return Table(
        words_of(caption), words_of(heads[-1]) if heads else "", tuple((words_of(a), words_of(b)) for a, b in rows)
    )


def space(caption: str) -> list[Outcome]:
    """Return every outcome of what the caption tells people to throw, all equally likely."""
    coins = next((number for words, number in COUNTED.items() if words in caption), 0)
    parts: list[tuple[str, ...]] = [FACES] * coins
    if "a die" in caption:
        parts.append(tuple("123456"))
    assert parts, caption
    return list(product(*parts))


def holds(words: str, outcome: Outcome) -> bool:
    """Whether an outcome is one that these words are about."""
    return any(_is(one, outcome) for one in words.split("; or "))


def _is(words: str, outcome: Outcome) -> bool:
    if words == "any result":
        return True
    faces = tuple(part for part in outcome if part in FACES)
    if words.endswith(", then any result"):
        named = tuple(words.removesuffix(", then any result").split(", "))
        return len(named) < len(outcome) and faces[: len(named)] == named
    named_words, _, numbers = words.rpartition(" and ")
    if outcome[-1] in FACES:
        return faces == tuple(words.split(", "))
    return (not faces or faces == tuple(named_words.split(", "))) and _in_span(numbers, int(outcome[-1]))


def _in_span(words: str, number: int) -> bool:
    ends = [int(end) for end in re.split(" to | or ", words)]
    return number in range(ends[0], ends[-1] + 1)


def taps(tables: tuple[Table, ...], truth: str) -> Shares:
    """Return how often somebody with this true answer (or end) taps each label, over all outcomes of all throws."""
    shares: Shares = defaultdict(Fraction)
    reached = Fraction(1)
    for table in tables:
        actions = [_only_row(table, outcome) for outcome in space(table.caption)]
        counting = [action for action in actions if action != AGAIN]
        each = reached / len(counting)
        reached = each * counting.count(ONWARD)
        for action in counting:
            if action != ONWARD:
                shares[_label(action, truth)] += each
    assert reached == 0
    return dict(shares)


def _only_row(table: Table, outcome: Outcome) -> str:
    rows = [action for words, action in table.rows if holds(words, outcome)]
    assert len(rows) == 1, (table.caption, outcome, rows)
    return rows[0]


def _label(action: str, truth: str) -> str:
    if action in {"tap your true answer", "tap your end value"}:
        return truth
    if named := re.fullmatch("tap “([^”]*)”", action):
        return named[1]
    by_truth = dict(re.findall("if your (?:true answer|end value) is “([^”]*)”, tap “([^”]*)”", action))
    return by_truth[truth]


def ends(table: Table, number: Fraction) -> Shares:
    """Return how often the rounding throw makes a number each of its two ends."""
    heading = re.fullmatch("“(.*)” from this number on, “(.*)” below it", table.heading)
    assert heading is not None
    actions = [_only_row(table, outcome) for outcome in space(table.caption)]
    thresholds = [Fraction(action.split()[0]) for action in actions if action != AGAIN]
    up = Fraction(sum(number >= threshold for threshold in thresholds), len(thresholds))
    return {heading[1]: up, heading[2]: 1 - up}
