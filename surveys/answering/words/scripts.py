"""Every text that the respondent's scripts show: no script has words of its own, so that all of them are translated."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.common.words import plural_forms

register = template.Library()


@register.simple_tag
def browser_words() -> dict[str, str | dict[str, str]]:
    """Return the texts by the names that respond.js uses; %(name)s stands for what only the browser knows."""
    return _of_questions() | _of_sending()


def _of_questions() -> dict[str, str | dict[str, str]]:
    return {
        "errorTitle": _("Error: %(title)s"),
        "nothingChosen": _("Choose your true answer first."),
        "optionsMissing": plural_forms(
            lambda count: ngettext(
                "Choose an answer for %(count)s more option.", "Choose an answer for %(count)s more options.", count
            )
        ),
        "numberMissing": _("Enter a number from %(low)s to %(high)s first."),
        "notANumber": _("Enter a number in digits, with one point or comma before decimals."),
        "likeThousands": _("Enter thousands without a comma or point, so that the number is clear."),
        "outside": _("Enter a number from %(low)s to %(high)s."),
        "notAStep": _("Enter %(low)s plus a multiple of %(step)s."),
        "phoneSends": _("Your phone will send %(report)s"),
        "phoneSendsFor": _("Question %(number)s: your phone will send %(report)s"),
        "yesToSome": _("Yes to %(count)s of %(all)s options"),
        "youSend": _("You will send %(report)s"),
        "youSendFor": _("Question %(number)s: you will send %(report)s"),
        "wouldSend": _("In the survey, your phone would send %(report)s"),
        "youSkip": _("You are skipping this question"),
        "leftOut": _("skipped"),
        "right": _("That’s right:"),
        "notQuite": _("Not quite:"),
    }


def _of_sending() -> dict[str, str | dict[str, str]]:
    return {
        "send": _("Send response"),
        "sendReport": _("Send %(report)s"),
        "sendAnswers": plural_forms(lambda count: ngettext("Send %(count)s answer", "Send %(count)s answers", count)),
        "sending": _("Sending…"),
        "tryNow": _("Try now"),
        "tryAgain": _("Try again"),
        "notSent": _(
            "Not sent yet. The server didn’t respond properly. Your reports are still here. Keep this page "
            "open so that it can try again."
        ),
        "retryIn": plural_forms(
            lambda count: ngettext(
                "Trying again in %(count)s second (attempt %(number)s of %(most)s).",
                "Trying again in %(count)s seconds (attempt %(number)s of %(most)s).",
                count,
            )
        ),
        "offline": _(
            "You’re offline. Your reports are still here. Keep this page open to send them when you’re back online."
        ),
        "gaveUp": _(
            "Not sent, and we have stopped trying. Your reports are still here, unchanged. Check your "
            "connection and try again."
        ),
        "stopped": _("Stopped. Tap to try again. Your reports are still here, unchanged."),
        "alreadyAnswered": _("You have already answered"),
        "refused": _(
            "The server refused your reports (%(status)s). Allow cookies for this site and try again. If that "
            "fails, reload the page. Reloading deletes your reports."
        ),
    }
