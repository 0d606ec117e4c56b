"""Every text that the respondent's scripts show: no script has words of its own, so that all of them are translated."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

register = template.Library()

# A number for each plural form that browsers know, to ask gettext for its text.
_COUNTS = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 1_000_000, "other": 100}


@register.simple_tag
def browser_words() -> dict[str, str | dict[str, str]]:
    """Return the texts by the names that respond.js uses; %(name)s stands for what only the browser knows."""
    return _of_questions() | _of_sending()


def _of_questions() -> dict[str, str | dict[str, str]]:
    return {
        "errorTitle": _("Error: %(title)s"),
        "nothingChosen": _("Choose your true answer first."),
        "optionsMissing": {
            form: ngettext("%(count)s option has no answer yet.", "%(count)s options have no answer yet.", count)
            for form, count in _COUNTS.items()
        },
        "numberMissing": _("Write a number from %(low)s to %(high)s first."),
        "notANumber": _("This is no number: use digits, with one comma or one point before decimals."),
        "likeThousands": _("Write thousands without a comma or a point, so that nobody has to guess what is meant."),
        "outside": _("The number must be from %(low)s to %(high)s."),
        "notAStep": _("The number must be %(low)s or some steps of %(step)s above it."),
        "phoneSends": _("It will send %(report)s"),
        "phoneSendsFor": _("Question %(number)s: it will send %(report)s"),
        "yesToSome": _("Yes to %(count)s of %(all)s options"),
        "youSend": _("You will send %(report)s"),
        "youSendFor": _("Question %(number)s: you will send %(report)s"),
        "wouldSend": _("In the survey it would send %(report)s"),
        "youSkip": _("You skip this question"),
        "leftOut": _("skipped"),
        "right": _("That is right:"),
        "notQuite": _("Not quite:"),
    }


def _of_sending() -> dict[str, str | dict[str, str]]:
    return {
        "send": _("Send"),
        "sendReport": _("Send %(report)s"),
        "sendAnswers": {
            form: ngettext("Send %(count)s answer", "Send %(count)s answers", count) for form, count in _COUNTS.items()
        },
        "sending": _("Sending…"),
        "tryNow": _("Try now"),
        "tryAgain": _("Try again"),
        "notSent": _(
            "Not sent yet: the server did not reply as it should. Your reports are still here, unchanged. Keep this "
            "page open: it tries again by itself."
        ),
        "retryIn": {
            form: ngettext(
                "Trying again in %(count)s second (try %(number)s of %(most)s).",
                "Trying again in %(count)s seconds (try %(number)s of %(most)s).",
                count,
            )
            for form, count in _COUNTS.items()
        },
        "offline": _(
            "You are offline. Your reports are still here and will be sent when the network is back, while this page "
            "is open."
        ),
        "gaveUp": _(
            "Not sent: it did not work, and nothing more is tried by itself. Your reports are still here, unchanged: "
            "check the network, then try again."
        ),
        "stopped": _("Stopped. Tap to try again. Your reports are still here, unchanged."),
        "alreadyAnswered": _("You have already answered"),
        "refused": _(
            "The server did not take it (answer %(status)s). Allow cookies for this site, then try again. If it keeps "
            "refusing, load the page anew: that forgets your reports."
        ),
    }
