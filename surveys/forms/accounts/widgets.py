"""How fields of accounts look."""

from typing import Any

from django import forms


class CodeInput(forms.TextInput):
    """A code, which is good once: a wrong or used one is not written back."""

    def __init__(self, *, numeric: bool = False, **attrs: Any) -> None:
        digits = {"inputmode": "numeric"} if numeric else {"autocapitalize": "characters"}
        super().__init__({"spellcheck": "false", **digits, **attrs})

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:  # noqa: ANN401 - Widget's signature
        """Leave out what was typed."""
        return super().get_context(name, None, attrs)


def focus_first(form: forms.BaseForm) -> None:
    """Begin in the first field, unless there are problems to read first."""
    if not form.is_bound:
        next(iter(form.visible_fields())).field.widget.attrs["autofocus"] = True
