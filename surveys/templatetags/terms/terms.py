"""What each term means: one paragraph, with a survey's numbers where there are some."""

from collections.abc import Callable, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from surveys.selectors.explaining import Facts
from surveys.templatetags.terms import terms_of_chance as chance
from surveys.templatetags.terms import terms_of_results as results
from surveys.templatetags.terms import terms_of_surveys as surveys

Words = Callable[[Facts | None], str]

TERMS: Mapping[str, tuple[str | Promise, Words]] = {
    "epsilon": (_("ε (epsilon)"), chance.epsilon),
    "total_epsilon": (_("Total ε"), chance.total_epsilon),
    "odds": (_("Odds"), chance.odds_words),
    "truth_probability": (_("Probability of the truth"), chance.truth_probability),
    "design": (_("Design"), chance.design),
    "interval": (_("Interval"), results.interval),
    "half_width": (_("±"), results.half_width),
    "standard_error": (_("Standard error"), results.standard_error),
    "raw_share": (_("With chance added"), results.raw_share),
    "misfit": (pgettext_lazy("of the procedure", "Misfit"), results.misfit),
    "power": (_("Power"), results.power),
    "minimum_n": (_("Fewest answers"), surveys.minimum_n),
    "seal": (pgettext_lazy("a survey", "Sealing"), surveys.seal),
    "release": (pgettext_lazy("of a result", "Release"), surveys.release),
    "budget": (_("Privacy budget"), surveys.budget),
}
