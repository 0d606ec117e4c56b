"""What the linter claims and warns of, word for word and only here."""

import pytest
from django.template.loader import render_to_string

from surveys.linting.selectors import findings_of
from surveys.questionnaire.question import Question
from tests.factories import crosswise, make_draft, plain, triangular, yes_no

pytestmark = pytest.mark.django_db
_WHERE = plain(("North", "South"), "Where do you live?")
_STRONG = [yes_no(parameters={"truth": [4, 5], "yes": [1, 2]}), yes_no("B?"), yes_no("C?")]


@pytest.mark.parametrize(
    ("rule", "drafts", "n", "sentence"),
    [
        (
            "singled_out",
            [yes_no(), _WHERE],
            4,
            "If all combinations were equally common, about 0 of 4 people would have one that nobody else has.",
        ),
        ("singled_out", [yes_no(), _WHERE], 400, "If some combinations are rare, these numbers can be higher."),
        ("total_epsilon", _STRONG, 400, "Too little protection in total (ε 4.40, above the warning level of 4)."),
        ("too_few", [yes_no()], 59, "With 59 responses, the result will support no conclusion."),
        ("only_an_anchor_tells_who_follows", [crosswise(), triangular()], 400, "choose it on the results page"),
        ("identifier", [yes_no("What is your name?")], 400, "This question asks respondents to identify themselves."),
    ],
)
def test_findings_are_in_these_words(rule: str, drafts: list[Question], n: int, sentence: str) -> None:
    survey = (
        make_draft(yes_no("A?"), *drafts, expected_n=n) if rule == "singled_out" else make_draft(*drafts, expected_n=n)
    )
    (finding,) = (finding for finding in findings_of(survey) if finding.rule == rule)
    assert sentence in f"{finding.what} {finding.why} {finding.fix}"


def test_nothing_to_remark_is_no_praise() -> None:
    assert (
        "No problems found. These checks only look for patterns, so ask someone else to read the survey too."
        in render_to_string("linting/_lint.html", {"findings": ()})
    )
