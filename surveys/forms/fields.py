"""Form fields for probabilities that people write down exactly."""

from fractions import Fraction
from typing import Any

from django import forms

from surveys.privacy.rationals import probability

_EXAMPLES = "Write a fraction or a decimal between 0 and 1, such as 1/2, 3/4 or 0.75."


class ProbabilityField(forms.CharField):
    """One exact probability strictly between 0 and 1, typed as "1/2", "3/4" or "0.75"; cleans to a Fraction."""

    def __init__(self, *, max_length: int = 40, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction; an empty field stays "" where it is not required."""
        typed = super().clean(value)
        return _exact(typed, str(self.label)) if typed else ""


class SharesField(forms.CharField):
    """Exact probabilities separated by commas, or nothing; cleans to a tuple of Fractions."""

    def __init__(self, *, max_length: int = 400, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fractions in the order typed, () for an empty field."""
        typed = super().clean(value)
        return tuple(_exact(part.strip(), str(self.label)) for part in typed.split(",")) if typed else ()


def _exact(typed: str, label: str) -> Fraction:
    try:
        number = probability(typed, label)
    except ValueError:
        raise forms.ValidationError(f"{label}: “{typed}” is not a probability. {_EXAMPLES}") from None
    if not 0 < number < 1:
        raise forms.ValidationError(f"{label}: “{typed}” leaves nothing to chance. {_EXAMPLES}")
    return number


def written(value: list[int]) -> str:
    """Return a stored [numerator, denominator] as it is typed."""
    return str(Fraction(*value))
