"""What a class's phones found, as dots in the place of draws that nobody made."""

from surveys.charts import DotPlot
from surveys.learn.page import Shown
from surveys.lessons.figures import findings_of
from surveys.lessons.selectors import LessonStep
from surveys.lessons.words import found_words


def class_shown(step: LessonStep, seeds: list[int]) -> Shown | None:
    """Return a dot for each phone on the page's own axis; nothing where none has sent anything."""
    found = findings_of(step, seeds)
    if step.page is None or found is None:
        return None
    title = found_words(step.page, found)
    chart: DotPlot = step.page.dot_plot(step.values, found.watched, found.drawn, title=title)
    return Shown(f"{title}.", (chart,))
