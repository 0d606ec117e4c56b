"""What terms claim of a survey's numbers, word for word and only here."""

import pytest

from surveys.drafts.services.surveys import QuestionDraft
from tests.factories import crosswise, number_mean, one_by_option, triangular, yes_no
from tests.glossary.test_explaining import asked, text_of_term


@pytest.mark.parametrize(
    ("term", "draft", "n", "sentence"),
    [
        (
            "epsilon",
            yes_no(),
            None,
            "Here it is 1.10: whatever somebody believed before, seeing all of it makes the odds at most 3 times as "
            "large. Even odds, 50 of 100, become at most 75 of 100.",
        ),
        ("epsilon", triangular(), None, "Here it is infinite: a report can prove an answer, and the promise says"),
        ("odds", yes_no(), None, "Here, of 100 phones for which Yes is the truth 75 send it, of 100 others 25:"),
        ("odds", crosswise(), None, "of 100 people whose true answer is Yes 25 tap “The same answer”, of 100 others"),
        ("odds", one_by_option(), None, "Here, of 100 phones 66.7 send Yes for their owner’s option, 16.7 for each"),
        ("interval", yes_no(), 30, "With 30 answers it reaches about 35 points to either side, if 30% is true."),
        ("interval", number_mean(), 30, "about 4.3 hours to either side, if the true mean is in the middle."),
        ("standard_error", yes_no(), 30, "With 30 answers expect about 18 points."),
        (
            "raw_share",
            yes_no(),
            None,
            "it would be about 25 of 100 if nobody’s true answer were Yes, and about 75 of 100 if everybody’s",
        ),
        ("misfit", yes_no(), None, "Here about 25 to 75 of 100 reports must be Yes."),
        ("power", yes_no(), 30, "If 30% is true, 30 answers show that it is more than none with 42%."),
    ],
)
def test_terms_claim_it_in_these_words(term: str, draft: QuestionDraft, n: int | None, sentence: str) -> None:
    assert sentence in text_of_term(term, asked(draft), n)
