"""Groups: links of their own, named by the owner, gone only while nobody has answered there."""

import pytest
from django.core.exceptions import ValidationError

from surveys.course.services import close_survey, pause_survey, seal_survey
from surveys.drafts.services import groups
from surveys.drafts.services.groups import RESERVED_SLUGS, add_group, remove_group, rename_group
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Group, Survey
from surveys.responses.services.folding import fold
from tests.factories import make_draft, make_open, send

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Monday", "monday"),
        ("  Class   10 b ", "class-10-b"),
        ("Año 1", "ano-1"),
        ("日本語", "group-1"),
        ("Receipt", "group-1"),
        ("x" * 80, "x" * 40),
        ("a_b", "a-b"),
    ],
)
def test_a_link_is_made_from_the_name(name: str, slug: str) -> None:
    group = add_group(survey=make_draft(), name=name)
    assert (group.slug, group.name) == (slug, " ".join(name.split()))


def test_a_link_can_be_chosen() -> None:
    assert add_group(survey=make_draft(), name="Monday", slug=" Early-1 ").slug == "early-1"


@pytest.mark.parametrize(
    "slug",
    ["-", "a--b", "-a", "a-", "a_b", "a/b", "a b", "ä", "x" * 41, "<b>", "a\0", "../..", *sorted(RESERVED_SLUGS)],
)
def test_a_link_that_cannot_be_one_is_refused_by_name(slug: str) -> None:
    survey = make_draft()
    with pytest.raises(ValidationError) as refused:
        add_group(survey=survey, name="Monday", slug=slug)
    assert list(refused.value.message_dict) == ["slug"]
    assert survey.groups.count() == 0


@pytest.mark.parametrize("name", ["", "   ", "x" * 81, "MONDAY"])
def test_a_name_that_cannot_be_one_is_refused_by_name(name: str) -> None:
    survey = make_draft()
    add_group(survey=survey, name="Monday")
    with pytest.raises(ValidationError) as refused:
        add_group(survey=survey, name=name)
    assert list(refused.value.message_dict) == ["name"]
    assert survey.groups.count() == 1


def test_two_groups_never_share_a_link() -> None:
    survey = make_draft()
    add_group(survey=survey, name="Monday")
    with pytest.raises(ValidationError) as refused:
        add_group(survey=survey, name="Tuesday", slug="monday")
    assert list(refused.value.message_dict) == ["slug"]
    assert add_group(survey=survey, name="Monday!").slug == "group-1"
    assert add_group(survey=make_draft(), name="Monday").slug == "monday"


def test_thirty_groups_are_the_most() -> None:
    survey = make_draft()
    for number in range(groups.MOST_GROUPS):
        add_group(survey=survey, name=f"日 {number}")
    with pytest.raises(ValidationError, match=str(groups.MOST_GROUPS)):
        add_group(survey=survey, name="One more")
    assert survey.groups.count() == 30


def test_groups_are_added_while_answers_come_in_and_not_afterwards() -> None:
    survey = make_open()
    add_group(survey=survey, name="Monday")
    add_group(survey=pause_survey(survey=survey), name="Tuesday")
    closed = close_survey(survey=survey)
    with pytest.raises(NotAllowedNow):
        add_group(survey=closed, name="Wednesday")


def test_a_renamed_group_keeps_its_link() -> None:
    group = add_group(survey=make_open(), name="Monday")
    assert rename_group(group=group, name="Early").slug == "monday"
    assert rename_group(group=group, name="EARLY").name == "EARLY"
    with pytest.raises(ValidationError) as refused:
        rename_group(group=group, name=" ")
    assert list(refused.value.message_dict) == ["name"]
    assert Group.objects.get().name == "EARLY"


def test_two_groups_never_share_a_name() -> None:
    survey = make_open()
    add_group(survey=survey, name="Monday")
    other = add_group(survey=survey, name="Tuesday")
    with pytest.raises(ValidationError) as refused:
        rename_group(group=other, name="monday")
    assert list(refused.value.message_dict) == ["name"]


@pytest.mark.parametrize("folded", [False, True])
def test_a_group_with_answers_stays(folded: bool) -> None:
    survey = make_open()
    group = add_group(survey=survey, name="Monday")
    send(survey, "1", group=group)
    if folded:
        fold(survey=survey, everything=True)
    with pytest.raises(NotAllowedNow):
        remove_group(group=group)
    assert Group.objects.get() == group


def test_a_group_without_answers_goes() -> None:
    survey = make_open()
    remove_group(group=add_group(survey=survey, name="Monday"))
    assert survey.groups.count() == 0


def test_a_sealed_surveys_groups_stay_as_they_are() -> None:
    survey = make_open()
    group = add_group(survey=survey, name="Monday")
    seal_survey(survey=close_survey(survey=survey))
    for change in (lambda: rename_group(group=group, name="Other"), lambda: remove_group(group=group)):
        with pytest.raises(NotAllowedNow):
            change()
    assert Survey.objects.get(pk=survey.pk).groups.get().name == "Monday"
