"""What a class's phones found, as dots in the place of draws that nobody made."""

from django.utils.translation import gettext as _

from surveys.charts import DotPlot
from surveys.learn.page import Shown
from surveys.lessons.figures import findings_of
from surveys.lessons.selectors import LessonStep
from surveys.lessons.words import controls_words, findings_words


def class_shown(step: LessonStep, seeds: list[int], *, beside: bool = False) -> Shown | None:
    """Return a dot for each phone on the page's own axis; nothing where none has sent anything.

    `beside` other controls than the step begins with, what it begins with is said.
    """
    findings = findings_of(step, seeds)
    if step.page is None or findings is None:
        return None
    title = findings_words(step.page, findings)
    chart: DotPlot = step.page.dot_plot(step.values, findings.watched, findings.drawn, title=title)
    sentence = _("Each dot is one phone. All phones used the same probabilities. Only the coins fell differently.")
    return Shown(f"{sentence} ({controls_words(step)})" if beside else sentence, (chart,))
