"""What a visitor of a page can change: at most three controls, and which random numbers are drawn."""

from collections.abc import Mapping
from copy import deepcopy
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.common.forms import NumberField
from surveys.numbers.words import localized, whole_number

LARGEST_SEED = 9_999
TIMES = 200
# The unit of a slider of shares.
OF_100 = gettext_lazy(" of 100")


class _Range(forms.NumberInput):
    input_type = "range"

    def use_required_attribute(self, initial: Any) -> bool:  # noqa: ANN401 - Widget's signature
        return False


class Slider(NumberField):
    """A number between two limits in equal steps; cleans to a Fraction."""

    template = "learn/_slider.html"

    def __init__(self, low: str, high: str, *, step: str, unit: Promise | str = "", **kwargs: Any) -> None:
        self.low, self.high, self.step, self.unit = Fraction(low), Fraction(high), Fraction(step), unit
        if ((self.high - self.low) / self.step).denominator != 1:
            raise ValueError(f"step must divide the range from low to high, got {step!r}")
        super().__init__(widget=_Range(attrs={"min": low, "max": high, "step": step}), **kwargs)

    def widget_attrs(self, _widget: forms.Widget) -> dict[str, Any]:
        """Return nothing more: a slider cannot be empty or too long."""
        return {}

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        number = super().clean(value)
        if not self.low <= number <= self.high or ((number - self.low) / self.step).denominator != 1:
            figures = {"low": localized(self.low), "high": localized(self.high), "step": localized(self.step)}
            raise forms.ValidationError(_("Choose a number from %(low)s to %(high)s in steps of %(step)s.") % figures)
        return number


class Pick(forms.ChoiceField):
    """One of a few, side by side; cleans to what stands for it in the address."""

    template = "learn/_picks.html"

    def __init__(self, choices: Mapping[str, Promise | str], *, initial: str, **kwargs: Any) -> None:
        if initial not in choices:
            raise ValueError(f"initial must be one of the choices, got {initial!r}")
        super().__init__(choices=list(choices.items()), initial=initial, widget=forms.RadioSelect, **kwargs)


_counted = lazy(whole_number, str)


def counted(*numbers: int) -> dict[str, Promise | str]:
    """Return whole numbers to pick from, written in the visitor’s language."""
    return {str(number): _counted(number) for number in numbers}


Controls = Mapping[str, Slider | Pick]


class PageForm(forms.Form):
    """The controls of a page, from its address; what is not said there is as the page begins."""

    seed = forms.IntegerField(
        label=gettext_lazy("Draw"), min_value=1, max_value=LARGEST_SEED, initial="1", widget=forms.HiddenInput
    )
    times = forms.TypedChoiceField(
        label=gettext_lazy("Number of draws"),
        choices=[("1", "1"), (str(TIMES), str(TIMES))],
        coerce=int,
        initial="1",
        widget=forms.HiddenInput,
    )

    def __init__(self, controls: Controls, asked: Mapping[str, str], *, auto_id: str = "%s") -> None:
        entries = {name: asked.get(name, field.initial) for name, field in {**controls, **self.base_fields}.items()}
        super().__init__(entries, auto_id=auto_id)
        self.fields = {**deepcopy(dict(controls)), **self.fields}
        self.controls = tuple(controls)

    @property
    def values(self) -> dict[str, Any]:
        """What is asked for; where that cannot be, what the page begins with."""
        if self.is_valid():
            return dict(self.cleaned_data)
        return {name: field.clean(field.initial) for name, field in self.fields.items()}

    def shown(self) -> list[forms.BoundField]:
        return [self[name] for name in self.controls]
