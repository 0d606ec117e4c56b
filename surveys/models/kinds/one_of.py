"""One of several options."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from surveys.models.kinds.kind import QuestionKind
from surveys.models.kinds.names import Kind


class OneOf(QuestionKind):
    """One of the options that its author wrote."""

    name = Kind.ONE_OF
    label = Kind.ONE_OF.label
    short_label = _("One of several")
    takes_options = True
    editor_part = "editor/kinds/_options.html"

    def labels(self, options: Sequence[str], details: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the options."""
        return tuple(options)
