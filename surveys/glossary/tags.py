"""Terms that open one paragraph about them, with the numbers of the survey at hand.

`{% explain "epsilon" definition %}` puts a button with the term's name where it stands. The paragraph is a popover:
browsers open and close it without any script, over the page, so that nothing below it jumps.
"""

from fractions import Fraction
from typing import Any

from django import template
from django.template.context import RequestContext

from surveys.drafts.figures import USUAL_SHARE
from surveys.glossary.selectors import USUAL_LEVEL, Facts, facts_of
from surveys.glossary.words import TERMS
from surveys.models.asked_question import AskedQuestion
from surveys.models.definition import Definition

register = template.Library()

_COUNT = "explanations"


@register.inclusion_tag("glossary/_explain.html", takes_context=True)
def explain(
    context: RequestContext,
    term: str,
    about: Any = None,  # noqa: ANN401 - templates hand over what they have
    *,
    shown: str = "",
    n: int | None = None,
    share: Fraction = USUAL_SHARE,
    level: float = USUAL_LEVEL,
    place: str = "",
) -> dict[str, str]:
    """Explain one of `TERMS` with the numbers of `about`: a definition or a question, whichever the page has.

    `shown` stands on the button instead of the term's name, `n` is how many answers are expected or in, `level` the
    confidence level of the intervals at hand, and `place` keeps the anchors of parts of a page apart that are replaced
    one at a time.
    """
    name, words = TERMS[term]
    count = (context.render_context.get(_COUNT) or 0) + 1
    context.render_context[_COUNT] = count
    text = words(_facts(about, n, share, level))
    return {
        "term": str(name),
        "shown": shown or str(name),
        "text": text,
        "anchor": f"about-{term.replace('_', '-')}-{place or count}",
    }


def _facts(about: Any, n: int | None, share: Fraction, level: float) -> Facts | None:  # noqa: ANN401
    if not isinstance(about, Definition | AskedQuestion):
        return None
    return facts_of(about, n=n or None, share=share, confidence_level=level)
