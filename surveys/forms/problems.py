"""What an error summary says of small forms."""

from dataclasses import dataclass

from django import forms
from django.core.exceptions import ValidationError


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One line of the summary: what is wrong, and the field to go to."""

    field_id: str
    message: str


def blame(form: forms.BaseForm, refused: ValidationError) -> None:
    """Put what a service refused beside the fields that it names."""
    known = {name: errors for name, errors in _by_field(refused).items() if name in form.fields}
    for name, errors in known.items():
        form.add_error(name, errors)
    for name, errors in _by_field(refused).items():
        if name not in known:
            form.add_error(None, errors)


def problems_of(form: forms.BaseForm, *, first_field: str) -> list[FieldProblem]:
    """Return everything wrong with a form; what belongs to no field leads to the first."""
    return [
        FieldProblem(_place_of(form[first_field if name == "__all__" else name]), str(message))
        for name, messages in form.errors.items()
        for message in messages
    ]


def _place_of(field: forms.BoundField) -> str:
    """Return the id to go to: a group of boxes has none of its own, so the first of them."""
    if field.id_for_label or not field.subwidgets:
        return str(field.id_for_label)
    return str(field.subwidgets[0].id_for_label)


def _by_field(refused: ValidationError) -> dict[str, list[str]]:
    return refused.message_dict if hasattr(refused, "error_dict") else {"": refused.messages}
