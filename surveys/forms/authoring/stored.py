"""Between a question as it is typed in the editor and as it is stored: its details and its design's parameters."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.forms.fields import written, written_number
from surveys.models import Question
from surveys.models.kinds import WITH_OPTIONS, DesignName, details_of, pair_of

_HALF = Fraction(1, 2)
_ALWAYS = frozenset({"kind", "text", "design", "leave_out"})
_OF_DESIGN = {
    DesignName.FORCED_RESPONSE: frozenset({"truth", "chance"}),
    DesignName.WARNER: frozenset({"truth"}),
    DesignName.K_ARY: frozenset({"truth", "chance"}),
    DesignName.UNRELATED_QUESTION: frozenset({"innocuous_share", "selector_share"}),
    DesignName.CROSSWISE: frozenset({"innocuous_share"}),
    DesignName.TRIANGULAR: frozenset({"innocuous_share", "accepts_infinite"}),
}
_NUMBERS = frozenset({"low", "high", "step"})


def needed(kind: str, design: str) -> frozenset[str]:
    """Return the names of the fields that matter for this kind and this design."""
    options = frozenset({"options"}) if kind in WITH_OPTIONS else frozenset()
    return _ALWAYS | options | details_of(kind, design) | _OF_DESIGN[DesignName(design)]


def main_field(design: str) -> str:
    """Return the field beside which it is told that a design's probabilities do not do."""
    if design == DesignName.UNRELATED_QUESTION:
        return "selector_share"
    return "innocuous_share" if design in {DesignName.CROSSWISE, DesignName.TRIANGULAR} else "truth"


def details_typed(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details as they are stored; what is missing is left out, for the model to name it."""
    details: dict[str, Any] = {}
    # In one order: what is stored is exported, and a set has another order in every process.
    for name in sorted(details_of(cleaned["kind"], cleaned["design"])):
        value = cleaned[name]
        if name == "edges":
            details[name] = [pair_of(edge) for edge in value]
        elif name not in _NUMBERS:
            details[name] = value
        elif value is not None:
            details[name] = pair_of(value)
    return details


def parameters_typed(cleaned: Mapping[str, Any], answers: int) -> dict[str, Any]:
    """Return the design's parameters as they are stored; raises ValidationError naming the form's field."""
    match cleaned["design"]:
        case DesignName.WARNER:
            return {"p": pair_of(_unlike_a_half(cleaned, "truth"))}
        case DesignName.CROSSWISE:
            return {"p": pair_of(_unlike_a_half(cleaned, "innocuous_share"))}
        case DesignName.TRIANGULAR:
            return {"p": pair_of(_given(cleaned, "innocuous_share"))}
        case DesignName.UNRELATED_QUESTION:
            return {
                "p": pair_of(_given(cleaned, "selector_share")),
                "q": pair_of(_given(cleaned, "innocuous_share")),
            }
        case DesignName.FORCED_RESPONSE:
            return {"truth": pair_of(_given(cleaned, "truth")), "yes": pair_of(_second_coin(cleaned["chance"]))}
        case _:
            return {"truth": pair_of(_given(cleaned, "truth")), **_spinner(cleaned["chance"], answers)}


def typed_of(question: Question) -> dict[str, str]:
    """Return a stored question as it was typed."""
    typed = {name: getattr(question, name) for name in ("kind", "text", "design", "leave_out")}
    typed |= {"options": "\n".join(question.options), "accepts_infinite": "on" if question.accepts_infinite else ""}
    for name, value in question.details.items():
        if name == "edges":
            typed[name] = ", ".join(map(written_number, value))
        else:
            typed[name] = written_number(value) if name in _NUMBERS else str(value)
    return typed | _typed_parameters(question.design, question.parameters)


def _typed_parameters(design: str, stored: Mapping[str, Any]) -> dict[str, str]:
    if design == DesignName.UNRELATED_QUESTION:
        return {"selector_share": written(stored["p"]), "innocuous_share": written(stored["q"])}
    if "p" in stored:
        return {main_field(design): written(stored["p"])}
    chance = [stored["yes"]] if "yes" in stored else stored.get("weights", [])
    # An empty field is a fair second coin.
    shares = "" if chance == [[1, 2]] else ", ".join(map(written, chance))
    return {"truth": written(stored["truth"]), "chance": shares}


def _given(cleaned: Mapping[str, Any], name: str) -> Fraction:
    share: Fraction | str = cleaned[name]
    if isinstance(share, Fraction):
        return share
    raise ValidationError({name: _("Write a probability, such as 1/2.")})


def _unlike_a_half(cleaned: Mapping[str, Any], name: str) -> Fraction:
    share = _given(cleaned, name)
    if share == _HALF:
        raise ValidationError({name: _("With 1/2 the reports tell nothing. Choose another, such as 3/4.")})
    return share


def _second_coin(chance: tuple[Fraction, ...]) -> Fraction:
    if len(chance) > 1:
        raise ValidationError({"chance": _("Give one probability, that of Yes.")})
    return chance[0] if chance else _HALF


def _spinner(chance: tuple[Fraction, ...], answers: int) -> dict[str, list[list[int]]]:
    if not chance:
        return {}
    if len(chance) != answers:
        raise ValidationError(
            {
                "chance": _("Give one share for each of %(answers)s answers, not %(given)s, or none.")
                % {"answers": answers, "given": len(chance)}
            }
        )
    if sum(chance) != 1:
        raise ValidationError({"chance": _("The shares must sum to 1; these sum to %(sum)s.") % {"sum": sum(chance)}})
    return {"weights": [pair_of(share) for share in chance]}
