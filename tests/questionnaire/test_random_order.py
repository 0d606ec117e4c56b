"""Random order: where it may be asked for, that it is frozen, and that a survey without it keeps its version."""

import pytest

from surveys.common.selectors import definition_of
from surveys.drafts.services.surveys import QuestionRefused
from surveys.models import Survey
from surveys.questionnaire.question import Question
from tests.factories import (
    PROTECTED,
    make_draft,
    make_open,
    number_mean,
    one_of,
    plain,
    rewrite,
    scale,
    several_of,
    yes_no,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "question", [yes_no(random_order=True), scale(random_order=True), number_mean(random_order=True)]
)
def test_what_has_no_options_of_its_own_is_never_shuffled(question: Question) -> None:
    with pytest.raises(QuestionRefused) as refused:
        make_draft(question)
    assert "random_order" in refused.value.message_dict
    assert not Survey.objects.exists()


def test_the_browser_gets_how_many_options_are_shuffled_and_nothing_where_none_are() -> None:
    definition = definition_of(
        make_draft(
            one_of(random_order=True, **PROTECTED), several_of(random_order=True), plain(random_order=True), one_of()
        )
    )
    assert [sent.get("randomOrder") for sent in definition.browser["questions"]] == [3, 3, 3, None]
    assert definition.browser.keys() == {"questions"}
    assert definition_of(make_draft(yes_no(), random_order=True)).browser["randomOrder"] is True


def test_it_is_part_of_what_respondents_agree_to_only_where_it_is_asked_for() -> None:
    survey = make_draft(one_of())
    before = definition_of(survey)
    assert "random_order" not in before.content
    assert "random_order" not in before.content["questions"][0]
    rewrite(survey, 0, random_order=True)
    rewrite(survey, random_order=True)
    after = definition_of(Survey.objects.get(pk=survey.pk))
    assert after.content["random_order"] is after.content["questions"][0]["random_order"] is True
    assert after.version != before.version


def test_of_several_arms_each_is_asked_in_random_order() -> None:
    arms = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]
    definition = definition_of(make_open(yes_no(), one_of(arms=[2]), random_order=True, arms=arms))
    assert [each.random_order for each in definition.each_arm] == [True, True]
