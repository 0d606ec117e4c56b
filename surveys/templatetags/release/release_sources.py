"""What each central mechanism does in plain words, and where it comes from."""

from django import template
from django.utils.translation import gettext as _

register = template.Library()

_SOURCES: dict[str, tuple[tuple[str, str], ...]] = {
    "laplace_histogram": (
        (
            "Dwork, McSherry, Nissim & Smith (2006)",
            "Calibrating noise to sensitivity in private data analysis, TCC.",
        ),
        (
            "Ghosh, Roughgarden & Sundararajan (2012)",
            "Universally utility-maximizing privacy mechanisms, SIAM J. Computing 41.",
        ),
        ("Canonne, Kamath & Steinke (2020)", "The discrete Gaussian for differential privacy, NeurIPS."),
    ),
    "gaussian_histogram": (
        ("Canonne, Kamath & Steinke (2020)", "The discrete Gaussian for differential privacy, NeurIPS."),
        (
            "Balle & Wang (2018)",
            "Improving the Gaussian mechanism for differential privacy: analytical calibration and optimal "
            "denoising, ICML.",
        ),
    ),
    "most_common": (("McSherry & Talwar (2007)", "Mechanism design via differential privacy, FOCS."),),
    "permute_and_flip": (
        (
            "McKenna & Sheldon (2020)",
            "Permute-and-flip: a new mechanism for differentially private selection, NeurIPS.",
        ),
    ),
    "top": (
        (
            "Durfee & Rogers (2019)",
            "Practical differentially private top-k selection with pay-what-you-get composition, NeurIPS.",
        ),
        ("McSherry & Talwar (2007)", "Mechanism design via differential privacy, FOCS."),
    ),
    "quantile": (
        ("Smith (2011)", "Privacy-preserving statistical estimation with optimal convergence rates, STOC."),
        ("McSherry & Talwar (2007)", "Mechanism design via differential privacy, FOCS."),
    ),
    "bounds": (
        (
            "Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo & Gipson (2020)",
            "Differentially private SQL with bounded user contribution, PoPETs.",
        ),
    ),
    "mean": (
        ("Li, Lyu, Su & Yang (2016)", "Differential Privacy: From Theory to Practice, Morgan & Claypool."),
        (
            "Ghosh, Roughgarden & Sundararajan (2012)",
            "Universally utility-maximizing privacy mechanisms, SIAM J. Computing 41.",
        ),
    ),
    "smooth_median": (
        (
            "Nissim, Raskhodnikova & Smith (2007)",
            "Smooth sensitivity and sampling in private data analysis, STOC.",
        ),
    ),
    "stable_mode": (
        ("Dwork & Lei (2009)", "Differential privacy and robust statistics, STOC."),
        (
            "Thakurta & Smith (2013)",
            "Differentially private feature selection via stability arguments, COLT.",
        ),
    ),
    "stable_median": (("Dwork & Lei (2009)", "Differential privacy and robust statistics, STOC."),),
}
_LIKE = {"one_count": "laplace_histogram", "best_price": "most_common", "total": "mean", "variance": "mean"}


@register.filter
def mechanism_sources(mechanism: str) -> tuple[tuple[str, str], ...]:
    """Return who a mechanism is from, and where it is written."""
    return _SOURCES[_LIKE.get(mechanism, mechanism)]


@register.filter
def mechanism_words(mechanism: str) -> str:
    """Say what a mechanism does, to people who have never met one."""
    return {
        "laplace_histogram": _(
            "It counts the reports and adds a random whole number to each count, most often a small one. Each unit "
            "further from 0 is less likely by the same factor."
        ),
        "gaussian_histogram": _(
            "It counts the reports and adds a random whole number to each count, drawn from a bell-shaped "
            "distribution: large ones are rarer than with Laplace noise. In return probabilities may differ between "
            "neighbours by a further, very small δ."
        ),
        "one_count": _(
            "It counts the reports with one answer and adds a random whole number, most often a small one. The rest "
            "of the public number of answers is the count of all others."
        ),
        "most_common": _(
            "It scores every answer by how many people seem to have it, and draws one of them by chance: the higher "
            "the score, the better an answer’s prospect."
        ),
        "permute_and_flip": _(
            "It scores every answer by how many people seem to have it, and looks at the answers in a random order. "
            "The first whose coin says so is drawn; the higher the score, the likelier the coin says so, and that of "
            "the best always does. It errs no more often than the exponential mechanism at the same ε."
        ),
        "top": _(
            "It draws one answer by chance, common ones more often, sets it aside, draws the next one among the "
            "rest, and so on. All draws are equally sharp, and together they spend ε."
        ),
        "quantile": _(
            "It scores every answer by how many people seem to be between it and the wanted rank, and draws one of "
            "them by chance: the fewer, the better an answer’s prospect."
        ),
        "best_price": _(
            "It scores every price by the revenue it seems to bring, and draws one of them by chance: the higher the "
            "revenue, the better a price’s prospect."
        ),
        "total": _(
            "It adds up what the reports count for, exactly, and adds a random number of steps of a fixed size, most "
            "often a small one."
        ),
        "mean": _(
            "It adds up what the reports count for, exactly, less the middle of what is possible, adds a random "
            "number of steps of a fixed size, and divides by the number of people. Where chance hides who does not "
            "say a number, that number of people is drawn with noise as well."
        ),
        "variance": _(
            "It adds up the numbers and their squares, exactly, adds a random number of steps to both sums, and "
            "computes the variance from them. Where chance hides who does not say a number, the number of people is "
            "drawn with noise as well."
        ),
        "bounds": _(
            "It counts the reports of each band and adds a random whole number to each count. The first and the last "
            "band whose noisy count is higher than an empty band’s could well be are the bounds."
        ),
        "smooth_median": _(
            "It takes the median and adds noise, as much as the reports at hand need: little where many of them would "
            "have to change before the median moves, much where few. How many it takes is published too, with noise "
            "of its own, so that everybody can tell how far off the median may be. Half of ε pays for the noise, a "
            "quarter for fitting it to the reports, and a quarter for telling how much it was."
        ),
        "stable_mode": _(
            "It first tests, by chance, whether many reports would have to change before another answer were the most "
            "common. If so the answer is published as it is; if not nothing is."
        ),
        "stable_median": _(
            "It first tests, by chance, whether many reports would have to change before one more change could move "
            "the median by more than the proposed bound. If so the median is published with noise for that bound; if "
            "not nothing is."
        ),
    }[mechanism]


@register.filter
def exactness_words(mechanism: str) -> str:
    """Say how the chance was drawn, and where a real number had to be rounded."""
    if mechanism == "smooth_median":
        return _(
            "Cauchy noise is a real number. It is drawn by drawing random bits until they settle to which step of the "
            "public grid it rounds: no floating-point number takes part, and the total variation distance to the "
            "ideal noise, rounded to that grid, is 0."
        )
    return _(
        "All of it is drawn with integers and fractions: no floating-point number is ever added to data, and what was "
        "drawn has exactly the distribution described."
    )
