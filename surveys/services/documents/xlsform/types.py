"""Types of a form's rows that no question can be made of, each with the reason."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_ABOUT_PEOPLE = _("It tells who answers, or when and where: nothing of the kind is ever collected here.")
_COMPUTED = _("It is computed, and asks nothing.")
_FILE = _("Pictures, recordings and files give people away, and no chance can be added to them.")
_PLACE = _("Places give people away, and no chance can be added to them.")
_MOMENT = _("There is no question for dates and times here. Ask for one of several spans instead.")
_FREE = _("No chance can be added to free text. Ask for one of several options instead.")
_ORDER = _("There is no question for an order here. Ask for the first choice only.")
_FROM_FILE = _("Its choices are in another file. Write them into the sheet “choices”.")

REASONS: dict[str, Promise] = {
    **dict.fromkeys(
        (
            "start",
            "end",
            "today",
            "deviceid",
            "phonenumber",
            "simserial",
            "subscriberid",
            "username",
            "email",
            "audit",
            "start-geopoint",
            "background-audio",
        ),
        _ABOUT_PEOPLE,
    ),
    **dict.fromkeys(("calculate", "hidden", "xml-external", "csv-external"), _COMPUTED),
    **dict.fromkeys(("image", "audio", "video", "file", "barcode"), _FILE),
    **dict.fromkeys(("geopoint", "geotrace", "geoshape"), _PLACE),
    **dict.fromkeys(("date", "time", "datetime"), _MOMENT),
    "text": _FREE,
    "rank": _ORDER,
    **dict.fromkeys(("select_one_from_file", "select_multiple_from_file", "select_one_external"), _FROM_FILE),
    "acknowledge": _("Everybody gives the same answer to it. Write it into the consent text."),
}
UNKNOWN = _("There is no question of this type here.")
