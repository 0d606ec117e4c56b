"""Which model two arms are read by, from the query string."""

from collections.abc import Sequence

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.drafts.figures import TwoArms


def parse_model(query: QueryDict, models: Sequence[TwoArms], usual: TwoArms | None) -> tuple[TwoArms | None, list[str]]:
    """Return the model asked for, None for one share in all arms; what is unknown becomes that, with a notice."""
    wanted = query.get("model", usual.value if usual else "")
    found = next((each for each in models if each.value == wanted), None)
    if found or not wanted:
        return found, []
    return None, [
        _("There is no model “%(model)s” of these arms. One share for all is shown.") % {"model": wanted[:40]}
    ]
