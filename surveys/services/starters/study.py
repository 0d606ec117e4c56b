"""Starters about studying: exams, assignments, plagiarism."""

from django.utils.translation import gettext_lazy as _

from surveys.services.starters.starter import INTRODUCTION, VOLUNTARY, Starter, yes_no

EXAM_CHEATING = Starter(
    key="exam-cheating",
    topic=_("Exam cheating"),
    after="Höglinger, Jann & Diekmann (2016)",
    asks=_("Copying from others, and using notes or a phone, in exams of the past 12 months."),
    why=_(
        "Two coins are the easiest to explain to a class. Each of the two acts has a question of its own, because "
        "people who did one of them would not call it “cheating”."
    ),
    sources=(
        "Höglinger, M., Jann, B. & Diekmann, A. (2016). Sensitive questions in online surveys: An experimental "
        "evaluation of different implementations of the randomized response technique and the crosswise model. "
        "Survey Research Methods, 10(3), 171–187. doi:10.18148/srm/2016.v10i3.6703",
    ),
    survey={"title": _("Exams, honestly"), "introduction": INTRODUCTION, "consent": VOLUNTARY},
    questions=(
        yes_no(
            _("In the past 12 months, have you copied answers from somebody else during an exam?"),
            truth=(7, 10),
        ),
        yes_no(
            _("In the past 12 months, have you used notes or a phone in an exam where they were not allowed?"),
            truth=(7, 10),
        ),
    ),
)

AI_ASSIGNMENTS = Starter(
    key="ai-assignments",
    topic=_("AI use in assignments"),
    after="Nguyen & Goto (2024)",
    asks=_("What AI did in the last assignment that had to be one’s own work."),
    why=_(
        "Kinds of use differ more than “used it or not”, so one of four answers is asked for, with a coin and a "
        "spinner. A recent assignment is remembered better than “ever”."
    ),
    sources=(
        "Nguyen, H. M. & Goto, D. (2024). Unmasking academic cheating behavior in the artificial intelligence era: "
        "Evidence from Vietnamese undergraduates. Education and Information Technologies. "
        "doi:10.1007/s10639-024-12495-4",
        "Lee, V. R., Pope, D., Miles, S. & Zárate, R. C. (2024). Cheating in the age of generative AI: A high school "
        "survey study of cheating behaviors before and after the release of ChatGPT. Computers and Education: "
        "Artificial Intelligence, 7, 100253.",
    ),
    survey={"title": _("AI in assignments"), "introduction": INTRODUCTION, "consent": VOLUNTARY},
    questions=(
        {
            "kind": "one_of",
            "text": _("Think of the last assignment you handed in. What is the most that an AI tool did in it?"),
            "options": [
                _("Nothing"),
                _("Ideas, explanations or corrections"),
                _("Some of the text or the solution"),
                _("Most of the text or the solution"),
            ],
            "design": "k_ary",
            "parameters": {"truth": [2, 3]},
        },
    ),
)

PLAGIARISM = Starter(
    key="plagiarism",
    topic=_("Plagiarism"),
    after="Jann, Jerke & Krumpal (2012)",
    asks=_("Passages taken from others without naming the source, in papers of the past 12 months."),
    why=_(
        "The crosswise design needs no device: people only say whether their answers to two questions are the same. "
        "Neither answer admits anything, and the study found that it brings out more than asking directly."
    ),
    sources=(
        "Jann, B., Jerke, J. & Krumpal, I. (2012). Asking sensitive questions using the crosswise model: An "
        "experimental survey measuring plagiarism. Public Opinion Quarterly, 76(1), 32–49.",
        "Yu, J.-W., Tian, G.-L. & Tang, M.-L. (2008). Two new models for survey sampling with sensitive "
        "characteristic: Design and analysis. Metrika, 67(3), 251–263.",
    ),
    survey={
        "title": _("Sources in papers"),
        "introduction": _("You answer with the help of a fact that only you know. Nobody can know what you meant."),
        "consent": VOLUNTARY,
        "expected_n": 60,
    },
    questions=(
        {
            "kind": "yes_no",
            "text": _(
                "In the past 12 months, have you handed in a paper with a passage from somebody else without naming "
                "the source?"
            ),
            "design": "crosswise",
            # January to March: 90 of 365 days.
            "parameters": {"p": [18, 73]},
            "details": {
                "innocuous": _("Is your mother’s birthday in January, February or March?"),
                "innocuous_source": _("90 of the 365 days of a year. Births are spread about evenly over them."),
            },
        },
    ),
)
