"""Tests that may refuse to publish anything: propose-test-release."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from surveys.charts import Table
from surveys.releases.families.finding import Finding, facts_table


@dataclass(frozen=True, slots=True)
class StabilityRefusal(Finding):
    """The test of propose-test-release was not passed: the answer stays unknown, and was charged all the same."""

    family = "refused"
    # A refusal says that little.
    is_uninformative = True

    @property
    def headline_words(self) -> str:
        """That the test refused."""
        return _("Test not passed, so nothing was drawn")

    def numbers(self) -> dict[str, Any]:
        """Return that it was charged: there are none."""
        return {"charged": True}

    def tables(self) -> list[Table]:
        return [facts_table([(_("Answer"), _("test not passed, so nothing was drawn"))])]


def says_nothing_else(output: Mapping[str, Any]) -> bool:
    """Whether all of a stored output is null."""
    return all(value is None for value in output.values())


def refusal_words() -> str:
    """Say that a refusal is too likely to promise anything."""
    return _(
        "Even if all reports were the same, the test would fail too often to promise a result with probability "
        "%(level)s. A failed test costs the same."
    )
