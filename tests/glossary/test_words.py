"""What terms claim of a survey's numbers, word for word and only here."""

import pytest

from surveys.questionnaire.question import Question
from tests.factories import crosswise, number_mean, one_by_option, triangular, yes_no
from tests.glossary.test_explaining import asked, text_of_term


@pytest.mark.parametrize(
    ("term", "draft", "n", "sentence"),
    [
        (
            "epsilon",
            yes_no(),
            None,
            "Here, ε is 1.10. The reports change anyone’s odds between two possible answers at most 3-fold. A "
            "probability of 50 of 100 becomes at most 75 of 100.",
        ),
        (
            "epsilon",
            triangular(),
            None,
            "Here, ε is infinite, because a report can prove an answer. The privacy promise states which report.",
        ),
        (
            "odds",
            yes_no(),
            None,
            "Here, 75 of 100 phones send Yes if it is their owner’s true answer, and 25 of 100 if it is not.",
        ),
        (
            "odds",
            crosswise(),
            None,
            "Here, 25 of 100 people tap “The same answer” if their true answer is Yes, and 75 of 100 if their true "
            "answer is No.",
        ),
        (
            "odds",
            one_by_option(),
            None,
            "Here, 66.7 of 100 phones send Yes for their owner’s option, and 16.7 of 100 for any other option.",
        ),
        (
            "interval",
            yes_no(),
            30,
            "With 30 answers, the interval extends about 35 percentage points to either side if the true share is 30%.",
        ),
        (
            "interval",
            number_mean(),
            30,
            "With 30 answers, the interval extends about 4.3 hours to either side if the true mean is in the middle of",
        ),
        ("standard_error", yes_no(), 30, "With 30 answers, expect a standard error of about 18 percentage points."),
        (
            "raw_share",
            yes_no(),
            None,
            "this share would be about 25 of 100 if nobody’s true answer was Yes, and about 75 of 100 if everyone’s "
            "was.",
        ),
        (
            "misfit",
            yes_no(),
            None,
            "Here, about 25 to 75 of 100 reports must be Yes if everyone follows the instructions.",
        ),
        (
            "power",
            yes_no(),
            30,
            "If the true share is 30%, a survey with 30 answers has a power of 42% to show that the share is above "
            "zero.",
        ),
    ],
)
def test_terms_claim_it_in_these_words(term: str, draft: Question, n: int | None, sentence: str) -> None:
    assert sentence in text_of_term(term, asked(draft), n)
