"""Starters about work, school life, health, money and sport."""

from django.utils.translation import gettext_lazy as _

from surveys.services.starters.starter import INTRODUCTION, SUPPORT, VOLUNTARY, Starter, unrelated, yes_no

_IN_THE_HEAD = _("You answer with the help of facts that only you know. Nobody can know what you meant.")

WORKPLACE_HARASSMENT = Starter(
    key="workplace-harassment",
    topic=_("Harassment at work"),
    after="Boudreau et al. (2023)",
    asks=_("Threats, violence and sexual harassment by a superior in the past 12 months."),
    why=_(
        "Whoever reports risks most here: a coin and a spinner stand before each of the three answers, chance hides "
        "even who would not say, and nothing is shown before 20 people have answered. The study also asked about "
        "threats, violence and sexual harassment each for itself."
    ),
    sources=(
        "Boudreau, L., Chassang, S., González-Torres, A. & Heath, R. (2023). Monitoring harassment in organizations. "
        "Working paper, Princeton University.",
    ),
    survey={
        "title": _("Respect at work"),
        "introduction": INTRODUCTION,
        "consent": VOLUNTARY,
        "support": SUPPORT,
        "minimum_n": 20,
        "expected_n": 70,
    },
    questions=(
        {
            "kind": "several_of",
            "text": _("Which of these has a superior done to you at work in the past 12 months?"),
            "options": [
                _("Threatened or humiliated me"),
                _("Pushed, hit or grabbed me"),
                _("Touched me or spoken to me in a sexual way that I did not want"),
            ],
            "design": "k_ary",
            "parameters": {"truth": [9, 20]},
            "leave_out": "protected",
        },
    ),
)

BULLYING = Starter(
    key="bullying",
    topic=_("Bullying at school"),
    after="Cobo Rodríguez & Molina Muñoz (2018)",
    asks=_("How often pupils hurt others on purpose, and were hurt, in this school year."),
    why=_(
        "It asks about acts, because few call what they did bullying. “Prefer not to say” is protected too: "
        "chance hides even who did not want to answer."
    ),
    sources=(
        "Cobo Rodríguez, B. & Molina Muñoz, D. (2018). Measuring bullying among students using the randomized "
        "response technique. The Eurasia Proceedings of Educational and Social Sciences.",
    ),
    survey={
        "title": _("How we treat each other"),
        "introduction": INTRODUCTION,
        "consent": VOLUNTARY,
        "support": SUPPORT,
        "expected_n": 60,
    },
    questions=tuple(
        {
            "kind": "one_of",
            "text": text,
            "options": [_("Never"), _("Once or twice"), _("More often")],
            "design": "k_ary",
            "parameters": {"truth": [1, 2]},
            "leave_out": "protected",
        }
        for text in (
            _("In this school year, how often have you hurt, mocked or shut out somebody at school on purpose?"),
            _("In this school year, how often has somebody at school hurt, mocked or shut you out on purpose?"),
        )
    ),
)

SUBSTANCE_USE = Starter(
    key="substance-use",
    topic=_("Substance use"),
    after="Dietz et al. (2013)",
    asks=_("Taking drugs to study or work better in the past 12 months."),
    why=_(
        "An unrelated question answered in its place protects without any device, on paper too. The study asked 2,569 "
        "university students by randomized response, on paper."
    ),
    sources=(
        "Dietz, P., Striegel, H., Franke, A. G., Lieb, K., Simon, P. & Ulrich, R. (2013). Randomized response "
        "estimates for the 12-month prevalence of cognitive-enhancing drug use in university students. "
        "Pharmacotherapy, 33(1), 44–50. doi:10.1002/phar.1166",
        "Goodstadt, M. S. & Gruson, V. (1975). The randomized response technique: A test on drug use. Journal of the "
        "American Statistical Association, 70(352), 814–818.",
    ),
    survey={
        "title": _("Getting through the day"),
        "introduction": _IN_THE_HEAD,
        "consent": VOLUNTARY,
        "support": SUPPORT,
    },
    questions=(
        unrelated(
            _(
                "In the past 12 months, have you taken a prescription drug or an illegal drug to study or work better, "
                "without a medical reason?"
            ),
            selector=_("Is your mother’s birthday on the 10th or a later day of its month?"),
            innocuous=_("Is your father’s birthday in January to June?"),
        ),
    ),
)

DOPING = Starter(
    key="doping",
    topic=_("Doping in sport"),
    after="Ulrich et al. (2018)",
    asks=_("Doping in one’s own sport in the past 12 months."),
    why=_(
        "The unrelated question needs no device and can be asked in a stadium: the study asked over two thousand "
        "athletes at two competitions in this way."
    ),
    sources=(
        "Ulrich, R., Pope, H. G., Cléret, L., Petróczi, A., Nepusz, T., Schaffer, J., Kanayama, G., Comstock, R. D. & "
        "Simon, P. (2018). Doping in two elite athletics competitions assessed by randomized-response surveys. Sports "
        "Medicine, 48(1), 211–219. doi:10.1007/s40279-017-0765-4",
    ),
    survey={"title": _("Clean sport"), "introduction": _IN_THE_HEAD, "consent": VOLUNTARY, "support": SUPPORT},
    questions=(
        unrelated(
            _("In the past 12 months, have you knowingly used a substance or method that your sport prohibits?"),
            selector=_("Think of a good friend. Is their birthday on the 10th or a later day of its month?"),
            innocuous=_("Think of another friend. Is their birthday in January to June?"),
        ),
    ),
)

TAX_HONESTY = Starter(
    key="tax-honesty",
    topic=_("Tax honesty"),
    after="Houston & Tran (2001)",
    asks=_("Income left out of the last tax return, and costs claimed without a right to."),
    why=_(
        "The study also asked about income and about deductions each for itself. Two coins protect Yes and No alike, "
        "and with a biased first coin fewer answers are enough."
    ),
    sources=(
        "Houston, J. & Tran, A. (2001). A survey of tax evasion using the randomized response technique. Advances in "
        "Taxation, 13, 69–94.",
        "Korndörfer, M., Krumpal, I. & Schmukle, S. C. (2014). Measuring and explaining tax evasion: Improving "
        "self-reports using the crosswise model. Journal of Economic Psychology, 45, 18–32.",
    ),
    survey={"title": _("Tax returns"), "introduction": INTRODUCTION, "consent": VOLUNTARY},
    questions=(
        yes_no(_("In your last tax return, did you leave out income that you had to declare?"), truth=(7, 10)),
        yes_no(_("In your last tax return, did you claim costs that you had no right to claim?"), truth=(7, 10)),
    ),
)
