"""What can be asked, which designs suit each kind of question, and what its author must say about it."""

import re
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.common.numbers import readable, with_unit
from surveys.models.texts import check_line

MAX_OPTIONS = 20
MAX_BANDS = 20
MAX_POINTS = 11
OPTION_LENGTH = 120
LABEL_LENGTH = 60
UNIT_LENGTH = 20
INNOCUOUS_LENGTH = 300
# The browser draws below the common denominator, and below a number's steps, from 32 random bits.
LARGEST_DENOMINATOR = 1_000_000
MAX_STEPS = 1_000_000
_LARGEST_NUMBER = 10**9


class Kind(models.TextChoices):
    """What a question asks for."""

    YES_NO = "yes_no", _("Yes or no")
    ONE_OF = "one_of", _("One of several options")
    SEVERAL_OF = "several_of", _("Several of the options")
    SCALE = "scale", _("A scale with labelled ends")
    NUMBER_MEAN = "number_mean", _("A number, for its mean")
    NUMBER_BANDS = "number_bands", _("A number, in bands")


class DesignName(models.TextChoices):
    """How chance is added; the matrices are in `surveys.privacy.designs`."""

    FORCED_RESPONSE = "forced_response", _("Two coins (forced response)")
    WARNER = "warner", _("Statement or its opposite (Warner)")
    K_ARY = "k_ary", _("Coin, then spinner (k-ary)")
    UNRELATED_QUESTION = "unrelated_question", _("An unrelated question instead")
    CROSSWISE = "crosswise", _("Two questions, same or different (crosswise)")
    TRIANGULAR = "triangular", _("Two questions, No to both or not (triangular)")


class LeaveOut(models.TextChoices):
    """How a respondent may leave a question out."""

    NO = "no", _("Not at all")
    VISIBLY = "visibly", _("Visibly: it is stored that the answer is missing")
    PROTECTED = "protected", _("Protected: “prefer not to say” is one more answer that chance hides")


_TWO_ANSWERS = frozenset({DesignName.FORCED_RESPONSE, DesignName.WARNER})
# An innocuous fact that only the respondent knows stands for chance: no device takes part.
IN_THE_HEAD = frozenset({DesignName.UNRELATED_QUESTION, DesignName.CROSSWISE, DesignName.TRIANGULAR})
DESIGNS: dict[str, frozenset[DesignName]] = {
    Kind.YES_NO: frozenset(DesignName),
    Kind.ONE_OF: frozenset({DesignName.K_ARY}),
    Kind.SEVERAL_OF: _TWO_ANSWERS | {DesignName.K_ARY},
    Kind.SCALE: frozenset({DesignName.K_ARY}),
    Kind.NUMBER_MEAN: _TWO_ANSWERS | {DesignName.K_ARY},
    Kind.NUMBER_BANDS: frozenset({DesignName.K_ARY}),
}
WITH_OPTIONS = frozenset({Kind.ONE_OF, Kind.SEVERAL_OF})

_OF_KIND: dict[str, frozenset[str]] = {
    Kind.SCALE: frozenset({"points", "low_end", "high_end"}),
    Kind.NUMBER_MEAN: frozenset({"low", "high", "step", "unit"}),
    Kind.NUMBER_BANDS: frozenset({"edges", "unit"}),
}
_OF_DESIGN: dict[str, frozenset[str]] = {
    DesignName.CROSSWISE: frozenset({"innocuous", "innocuous_source"}),
    DesignName.TRIANGULAR: frozenset({"innocuous", "innocuous_source"}),
    DesignName.UNRELATED_QUESTION: frozenset({"innocuous", "innocuous_source", "selector", "selector_source"}),
}
_TEXT_LENGTHS = {
    "low_end": LABEL_LENGTH,
    "high_end": LABEL_LENGTH,
    "unit": UNIT_LENGTH,
    "innocuous": INNOCUOUS_LENGTH,
    "innocuous_source": INNOCUOUS_LENGTH,
    "selector": INNOCUOUS_LENGTH,
    "selector_source": INNOCUOUS_LENGTH,
}


def details_of(kind: str, design: str) -> frozenset[str]:
    """Return the names of what `Question.details` holds for this kind and design."""
    return _OF_KIND.get(kind, frozenset()) | _OF_DESIGN.get(design, frozenset())


def check_options(kind: str, options: Any) -> None:  # noqa: ANN401 - whatever stands in the JSON column
    """Refuse options that could not be shown, naming the field."""
    if kind not in WITH_OPTIONS:
        if options != []:
            raise ValidationError({"options": gettext("This kind of question has no options of its own.")})
        return
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise ValidationError({"options": gettext("The options must be a list of texts.")})
    if not 2 <= len(options) <= MAX_OPTIONS:
        raise ValidationError({"options": gettext("Give 2 to %(most)s options, one a line.") % {"most": MAX_OPTIONS}})
    if any(not option.strip() or len(option) > OPTION_LENGTH for option in options):
        raise ValidationError(
            {"options": gettext("Every option must be a text of 1 to %(most)s characters.") % {"most": OPTION_LENGTH}}
        )
    for number, option in enumerate(options, start=1):
        _check_line("options", option, gettext("Option %(number)s.") % {"number": number})
    if len({same_text(option) for option in options}) < len(options):
        raise ValidationError({"options": gettext("Two options are the same.")})


def check_details(kind: str, design: str, details: Any) -> None:  # noqa: ANN401 - whatever stands in the JSON column
    """Refuse details that are missing, wrong or not of this kind and design, naming each."""
    if not isinstance(details, dict):
        raise ValidationError({"details": gettext("The question's details must be an object.")})
    wanted = details_of(kind, design)
    if unknown := details.keys() - wanted:
        raise ValidationError(
            {"details": gettext("This kind of question has no %(names)s.") % {"names": ", ".join(sorted(unknown))}}
        )
    for name in sorted(wanted & _TEXT_LENGTHS.keys()):
        _check_text(name, details.get(name))
    if "selector" in wanted and len(facts_in(details)) < 2:
        raise ValidationError({"selector": gettext("Another fact must decide which question is answered.")})
    if kind == Kind.SCALE:
        _check_points(details.get("points"))
    if kind == Kind.NUMBER_MEAN:
        _check_range(*(_number(name, details.get(name)) for name in ("low", "high", "step")))
    if kind == Kind.NUMBER_BANDS:
        _check_edges(details.get("edges"))


def facts_in(details: Mapping[str, Any]) -> set[str]:
    """Return the facts about respondents that stand for chance, however their texts are spaced, punctuated or cased."""
    texts = (details.get(name, "") for name in ("innocuous", "selector"))
    return {_letters(text) for text in texts if text}


def same_text(text: str) -> str:
    """Return what two texts have in common that people read as the same."""
    # Characters that are not seen, such as a zero-width space, are no letters.
    seen = "".join(letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    return " ".join(seen.casefold().split())


def _letters(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", same_text(text)).split())


def _check_text(name: str, text: Any) -> None:  # noqa: ANN401
    longest = _TEXT_LENGTHS[name]
    if not isinstance(text, str) or len(text) > longest:
        raise ValidationError({name: gettext("Write a text of at most %(most)s characters.") % {"most": longest}})
    if not text.strip() and name != "unit":
        raise ValidationError({name: gettext("Respondents need this text: write it.")})
    _check_line(name, text)


def _check_line(name: str, text: str, place: str = "") -> None:
    try:
        check_line(text)
    except ValidationError as refused:
        raise ValidationError({name: f"{place} {refused.message}".strip()}) from None


def _check_points(points: Any) -> None:  # noqa: ANN401
    if type(points) is not int or not 2 <= points <= MAX_POINTS:
        raise ValidationError({"points": gettext("A scale has 2 to %(most)s points.") % {"most": MAX_POINTS}})


def _check_range(low: Fraction, high: Fraction, step: Fraction) -> None:
    if not low < high:
        raise ValidationError({"high": gettext("The largest number must be above the smallest.")})
    if not step > 0 or ((high - low) / step).denominator != 1:
        raise ValidationError({"step": gettext("The steps must lead from the smallest number exactly to the largest.")})
    if (high - low) / step > MAX_STEPS:
        raise ValidationError(
            {"step": gettext("There may be at most %(most)s steps: make them larger.") % {"most": f"{MAX_STEPS:,}"}}
        )


def _check_edges(edges: Any) -> None:  # noqa: ANN401
    if not isinstance(edges, list) or not 3 <= len(edges) <= MAX_BANDS + 1:
        raise ValidationError(
            {"edges": gettext("Give the limits of 2 to %(most)s bands, smallest first.") % {"most": MAX_BANDS}}
        )
    numbers = [_number("edges", edge) for edge in edges]
    if not all(left < right for left, right in pairwise(numbers)):
        raise ValidationError({"edges": gettext("Each limit must be above the one before it.")})


def _number(name: str, pair: Any) -> Fraction:  # noqa: ANN401
    """Return a stored [numerator, denominator] whose decimals end, so that people can read and type it."""
    if (
        not isinstance(pair, list)
        or len(pair) != 2
        or any(type(part) is not int or abs(part) > _LARGEST_NUMBER * 10**6 for part in pair)
        or not 1 <= pair[1] <= 10**6
        or 10**6 % Fraction(*pair).denominator
        or abs(Fraction(*pair)) > _LARGEST_NUMBER
    ):
        raise ValidationError(
            {name: gettext("Write a number between −1,000,000,000 and 1,000,000,000 with at most six decimals.")}
        )
    return Fraction(*pair)


def pair_of(value: Fraction) -> list[int]:
    """Return an exact number as it is stored: [numerator, denominator]."""
    return [value.numerator, value.denominator]


def labels_of(kind: str, options: list[str], details: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the true answers of one item are called, by code, but for “prefer not to say”."""
    if kind == Kind.ONE_OF:
        return tuple(options)
    if kind == Kind.SCALE:
        return _points(details)
    if kind == Kind.NUMBER_MEAN:
        return tuple(with_unit(readable(Fraction(*details[end])), details["unit"]) for end in ("low", "high"))
    if kind == Kind.NUMBER_BANDS:
        return _bands(details)
    return gettext("No"), gettext("Yes")


def _points(details: Mapping[str, Any]) -> tuple[str, ...]:
    ends = {1: details["low_end"], details["points"]: details["high_end"]}
    return tuple(
        gettext("%(point)s (%(meaning)s)") % {"point": point, "meaning": ends[point]} if point in ends else str(point)
        for point in range(1, details["points"] + 1)
    )


def _bands(details: Mapping[str, Any]) -> tuple[str, ...]:
    edges, unit = [Fraction(*edge) for edge in details["edges"]], details["unit"]
    bands = [
        gettext("%(low)s to below %(high)s") % {"low": readable(low), "high": with_unit(readable(high), unit)}
        for low, high in pairwise(edges)
    ]
    # The last band holds its upper limit too.
    bands[-1] = gettext("%(low)s to %(high)s") % {
        "low": readable(edges[-2]),
        "high": with_unit(readable(edges[-1]), unit),
    }
    return tuple(bands)
