"""What a class's phones found in a step, as dots in the place of draws that nobody made.

It is computed here from the phones' seeds: no number of a phone is taken.
"""

from collections.abc import Sequence
from functools import lru_cache

from django.utils.translation import gettext as _

from surveys.charts import DotPlot
from surveys.learn.page import Numbers, SeededChance, Shown
from surveys.learn.pages import lab_pages
from surveys.lessons.selectors import LessonStep
from surveys.lessons.words import controls_words, findings_words

_Values = tuple[tuple[str, object], ...]


def class_shown(step: LessonStep, seeds: Sequence[int], *, beside: bool = False) -> Shown | None:
    """Return a dot for each phone on the page's own axis; nothing where none has sent anything.

    `beside` other controls than the step begins with, what it begins with is said.
    """
    if step.page is None or not seeds:
        return None
    # One draw each, as on the phone: for many a page may compute less.
    values = tuple((step.values | {"seed": 0, "times": 1}).items())
    draws = [_draw(step.page.slug, values, seed) for seed in seeds]
    watched = [float(drawn[step.page.watched]) for drawn in draws]
    title = findings_words(step.page, watched, draws[0])
    chart: DotPlot = step.page.dot_plot(step.values, watched, draws[0], title=title)
    sentence = _("Each dot is one phone. All phones used the same probabilities. Only the coins fell differently.")
    return Shown(f"{sentence} ({controls_words(step)})" if beside else sentence, (chart,))


@lru_cache(maxsize=2_048)
def _draw(slug: str, values: _Values, seed: int) -> Numbers:
    # A draw is always the same, and a wall asks for all of them whenever one comes in.
    page = lab_pages()[slug]
    numbers = page.numbers(dict(values), SeededChance(seed))
    return {name: numbers[name] for name in (page.watched, page.aim) if name}
