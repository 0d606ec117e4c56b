"""What a visitor of a page can change: at most three controls, and which chance is drawn."""

import re
from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from fractions import Fraction
from typing import Any
from urllib.parse import quote_plus

from django import forms
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.common.forms import NumberField
from surveys.numbers.words import localized, whole_number
from surveys.privacy.rationals import probability

LARGEST_SEED = 9_999
TIMES = 200


class Slider(NumberField):
    """A number between two limits in equal steps; cleans to a Fraction."""

    template = "learn/_slider.html"

    def __init__(self, low: str, high: str, *, step: str, unit: Promise | str = "", **kwargs: Any) -> None:
        self.low, self.high, self.step, self.unit = Fraction(low), Fraction(high), Fraction(step), unit
        if ((self.high - self.low) / self.step).denominator != 1:
            raise ValueError(f"step must divide the range from low to high, got {step!r}")
        widget = forms.NumberInput(attrs={"type": "range", "min": low, "max": high, "step": step})
        super().__init__(widget=widget, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction that was asked for."""
        number = super().clean(value)
        if not self.low <= number <= self.high or ((number - self.low) / self.step).denominator != 1:
            said = {"low": localized(self.low), "high": localized(self.high), "step": localized(self.step)}
            raise forms.ValidationError(_("Choose a number from %(low)s to %(high)s in steps of %(step)s.") % said)
        return number


class Pick(forms.ChoiceField):
    """One of a few, side by side; cleans to what stands for it in the address."""

    template = "learn/_picks.html"

    def __init__(self, choices: Mapping[str, Promise | str], *, initial: str, **kwargs: Any) -> None:
        if initial not in choices:
            raise ValueError(f"initial must be one of the choices, got {initial!r}")
        super().__init__(choices=list(choices.items()), initial=initial, widget=forms.RadioSelect, **kwargs)


# What every program between a browser and this one lets through has 2,000 characters, other controls included.
_LONGEST = 1_600
_MOST_ROWS, _MOST_COLUMNS, _LONGEST_WORD, _MOST_RUNS = 6, 12, 20, 1_000_000
_NUMBER = re.compile(r"[-+\d./]+", re.ASCII)
_OFTEN = re.compile(r"(.+)[*×](\d{1,7})", re.ASCII)

Written = tuple[tuple[Fraction, ...], ...] | tuple[dict[str, int], dict[str, int]]


class MechanismText(forms.CharField):
    """A mechanism that a visitor writes down, as a table or by what it did.

    Cleans to rows of probabilities, a row a truth and a column an output, where the first word is a number; else to how
    often each result stands in each of two lines.
    """

    template = "learn/_written.html"

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.Textarea(
            attrs={"rows": 3, "spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}
        )
        super().__init__(widget=widget, **kwargs)

    def clean(self, value: Any) -> Written:  # noqa: ANN401 - Field's signature
        """Return the table, or the counts of the two lines."""
        typed = super().clean(value)
        if len(quote_plus(typed)) > _LONGEST:
            raise forms.ValidationError(_("This is too long. Write a result once, with its number: yes*750 no*250."))
        lines = [words for line in typed.splitlines() if (words := line.split())]
        if _NUMBER.fullmatch(lines[0][0]):
            return _table(lines)
        if len(lines) != 2:
            raise forms.ValidationError(_("Write two lines of results, or at least two of probabilities."))
        one, other = (_results(number, words) for number, words in enumerate(lines, start=1))
        if len({*one, *other}) > _MOST_COLUMNS:
            said = {"most": whole_number(_MOST_COLUMNS)}
            raise forms.ValidationError(_("There are more than %(most)s different results.") % said)
        return one, other


def _table(lines: list[list[str]]) -> tuple[tuple[Fraction, ...], ...]:
    width = len(lines[0])
    if not (2 <= len(lines) <= _MOST_ROWS and 2 <= width <= _MOST_COLUMNS):
        said = {"rows": whole_number(_MOST_ROWS), "columns": whole_number(_MOST_COLUMNS)}
        raise forms.ValidationError(
            _("A table has 2 to %(rows)s lines, each of 2 to %(columns)s probabilities.") % said
        )
    rows = []
    for number, words in enumerate(lines, start=1):
        row = tuple(_probability(number, word) for word in words)
        said = {"line": whole_number(number), "has": whole_number(len(row)), "first": whole_number(width)}
        if len(row) != width:
            raise forms.ValidationError(_("Line %(line)s has %(has)s numbers, and line 1 has %(first)s.") % said)
        if sum(row) != 1:
            said["sum"] = str(sum(row))
            raise forms.ValidationError(
                _("Line %(line)s adds up to %(sum)s, not to 1. Write results that are numbers as 1*750 0*250.") % said
            )
        rows.append(row)
    return tuple(rows)


def _probability(number: int, word: str) -> Fraction:
    try:
        return probability(word, "probability")
    except ValueError:
        said = {"line": whole_number(number), "typed": word[:_LONGEST_WORD]}
        raise forms.ValidationError(
            _("Line %(line)s: “%(typed)s” is no probability. Write 3/4 or 0.75.") % said
        ) from None


def _results(number: int, words: list[str]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for word in words:
        often = _OFTEN.fullmatch(word)
        result, times = (often[1], int(often[2])) if often else (word, 1)
        if len(result) > _LONGEST_WORD:
            said = {"line": whole_number(number), "most": whole_number(_LONGEST_WORD), "typed": result[:_LONGEST_WORD]}
            raise forms.ValidationError(_("Line %(line)s: “%(typed)s…” is longer than %(most)s characters.") % said)
        counts[result] += times
    if not 0 < counts.total() <= _MOST_RUNS:
        said = {"line": whole_number(number), "most": whole_number(_MOST_RUNS)}
        raise forms.ValidationError(_("Line %(line)s must have 1 to %(most)s results.") % said)
    return dict(counts)


_counted = lazy(whole_number, str)


def counted(*numbers: int) -> dict[str, Promise | str]:
    """Return whole numbers to pick from, written in the visitor’s language."""
    return {str(number): _counted(number) for number in numbers}


Controls = Mapping[str, Slider | Pick | MechanismText]


class PageForm(forms.Form):
    """The controls of a page, from its address; what is not said there is as the page begins."""

    seed = forms.IntegerField(
        label=gettext_lazy("Draw"), min_value=1, max_value=LARGEST_SEED, initial="1", widget=forms.HiddenInput
    )
    times = forms.TypedChoiceField(
        label=gettext_lazy("How many draws"),
        choices=[("1", "1"), (str(TIMES), str(TIMES))],
        coerce=int,
        initial="1",
        widget=forms.HiddenInput,
    )

    def __init__(self, controls: Controls, asked: Mapping[str, str], *, auto_id: str = "%s") -> None:
        said = {name: asked.get(name, field.initial) for name, field in {**controls, **self.base_fields}.items()}
        super().__init__(said, auto_id=auto_id)
        self.fields = {**deepcopy(dict(controls)), **self.fields}
        self.controls = tuple(controls)

    @property
    def values(self) -> dict[str, Any]:
        """What is asked for; where that cannot be, what the page begins with."""
        if self.is_valid():
            return dict(self.cleaned_data)
        return {name: field.clean(field.initial) for name, field in self.fields.items()}

    def shown(self) -> list[forms.BoundField]:
        """Return the controls, in their order."""
        return [self[name] for name in self.controls]
