"""Between a question as it is typed in the editor and as it is stored: its details and its design's parameters."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from surveys.common.numbers import readable
from surveys.forms.fields import written
from surveys.models import Question, designs
from surveys.models.kinds import Typed, all_details, details_of, named, pair_of

_ALWAYS = frozenset({"kind", "text", "design", "leave_out"})


def needed(kind: str, design: str) -> frozenset[str]:
    """Return the names of the fields that matter for this kind and this design."""
    return _ALWAYS | named(kind).field_names | details_of(kind, design) | designs.named(design).fields


def details_typed(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details as they are stored; what is missing is left out, for the model to name it."""
    details: dict[str, Any] = {}
    typed = _typed_as()
    # In one order: what is stored is exported, and a set has another order in every process.
    for name in sorted(details_of(cleaned["kind"], cleaned["design"])):
        value = cleaned[name]
        match typed.get(name):
            case Typed.NUMBERS:
                details[name] = [pair_of(number) for number in value]
            case Typed.NUMBER if value is None:
                pass
            case Typed.NUMBER:
                details[name] = pair_of(value)
            case _:
                details[name] = value
    return details


def typed_of(question: Question) -> dict[str, str]:
    """Return a stored question as it was typed."""
    typed = {name: getattr(question, name) for name in ("kind", "text", "design", "leave_out")}
    typed |= {"options": "\n".join(question.options), "accepts_infinite": "on" if question.accepts_infinite else ""}
    typed_as = _typed_as()
    for name, value in question.details.items():
        match typed_as.get(name):
            case Typed.NUMBERS:
                typed[name] = ", ".join(readable(Fraction(*number)) for number in value)
            case Typed.NUMBER:
                typed[name] = readable(Fraction(*value))
            case _:
                typed[name] = str(value)
    shares = question.asked_with.shares(question.parameters)
    return typed | {name: ", ".join(map(written, pairs)) for name, pairs in shares.items()}


def _typed_as() -> dict[str, Typed]:
    return {detail.name: detail.typed for detail in all_details()}
