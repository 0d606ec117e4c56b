"""What the linter says of lists of statements."""

import pytest

from surveys.common.selectors import definition_of
from surveys.linting.selectors import findings_of, sensitive_unprotected
from tests.factories import INNOCUOUS, item_count, make_draft, two_lists, yes_no

pytestmark = pytest.mark.django_db
ARMS = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}]


def test_few_statements_and_such_as_all_have_are_warned_of_with_the_source() -> None:
    lists = [
        item_count(INNOCUOUS[:2], arms=[1], quantity=1),
        item_count((*INNOCUOUS[:2], "I have cheated"), arms=[2], quantity=1),
    ]
    findings = {finding.rule: finding for finding in findings_of(make_draft(*lists, arms=ARMS))}
    assert findings["few_statements"].numbers == (1,)
    assert findings["none_or_all"].numbers == (1, 2)
    assert "Blair & Imai (2012)" in findings["few_statements"].source
    assert "Glynn (2013)" in findings["none_or_all"].source
    # Fifteen people an arm show nothing.
    assert findings["too_few"].numbers == (1, 2)
    assert "few_statements" not in {finding.rule for finding in findings_of(make_draft(*two_lists(), arms=ARMS))}


def test_a_list_is_not_taken_for_a_sensitive_answer_that_is_sent_as_it_is() -> None:
    plain = {"design": "plain", "parameters": {}}
    survey = make_draft(*two_lists(**plain), yes_no("Have you cheated?", **plain), arms=ARMS)
    sensitive = [finding.numbers for finding in findings_of(survey) if finding.rule == "sensitive_and_plain"]
    assert sensitive == [(3,)]
    assert sensitive_unprotected(definition_of(survey)) == (3,)
