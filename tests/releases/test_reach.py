"""A releaser who is no staff reaches the releases of their surveys: of all others there is no trace, and no way in."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from surveys.models import Budget, Membership, Release, Role, Survey
from surveys.releases.forms.questions import SurveyChoiceForm
from tests.factories import make_admin, make_open, make_user, yes_no
from tests.releases.setting import first, make_release, ready_survey, spent, staff_with
from tests.releases.steps import LIST, STEP_1, STEP_2, confirm, look, refused_with, signed_in, terms_of, text_of
from tests.security.addresses.dump import changed, dump

pytestmark = pytest.mark.django_db

OTHERS = "Zanzibar"


@pytest.fixture
def ours() -> Survey:
    survey = ready_survey(title="Ours")
    make_release(survey, epsilon="0.25")
    return survey


@pytest.fixture
def others() -> Survey:
    """Somebody else's survey, with its name in everything that could be shown of it."""
    author = make_user(f"author.{OTHERS}")
    survey = ready_survey(None, yes_no(f"Ever been to {OTHERS}?"), owner=author, title=f"All about {OTHERS}")
    make_release(survey, user=make_admin(f"admin.{OTHERS}"), reason=f"For {OTHERS}.")
    return survey


@pytest.fixture(params=["releaser", "owner"])
def person(request: pytest.FixtureRequest, ours: Survey) -> User:
    if request.param == "owner":
        return ours.owner
    user = make_user()
    Membership.objects.create(survey=ours, user=user, role=Role.RELEASER)
    return user


@pytest.fixture
def client(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def _answer(person: User, address: str, asked_for: object) -> tuple[object, ...]:
    """Return what tells one answer from another, but for what was asked for."""
    client = Client()
    client.force_login(person)
    response = client.get(address.format(asked_for))
    masked = text_of(response).replace(f"“{str(asked_for).replace('_5F', '_')}”", "“#”")
    return response.status_code, response.headers.get("Location"), masked


def _without_what_was_typed(page: HttpResponse) -> str:
    """Return a page without its search field and the filters' links, which repeat what was asked."""
    return re.sub(r'href="[^"]*\?[^"]*"|<input[^>]*>', "", page.content.decode())


def _lists(others: Survey) -> Iterator[str]:
    release = others.releases.get()
    for model in ("release", "budget", "ledgerentry"):
        yield f"/admin/surveys/{model}/"
        yield f"/admin/surveys/{model}/?q={OTHERS}"
    yield f"{LIST}?survey__id__exact={others.pk}"
    yield f"{LIST}?published__exact=0&survey__id__exact={others.pk}"
    yield f"{LIST}?id={release.pk}"
    yield f"{LIST}?parts={release.parts.get().pk}"
    yield f"/admin/surveys/ledgerentry/?budget__survey__id__exact={others.pk}"
    yield f"/admin/surveys/ledgerentry/?created_by__id__exact={release.created_by_id}"
    yield f"/admin/surveys/budget/?survey={others.pk}"
    yield from ("/admin/", "/admin/surveys/", STEP_1, f"{STEP_1}?survey={others.pk}")
    yield f"{STEP_2}?survey={others.pk}&questions={first(others)}&epsilon=1"


def _telling(others: Survey) -> re.Pattern[str]:
    return re.compile(rf"{OTHERS}|{others.code}|{others.releases.get().pk}")


def test_no_page_says_a_word_of_another_survey(client: Client, ours: Survey, others: Survey) -> None:
    pages = {address: client.get(address) for address in _lists(others)}
    assert {address: response.status_code for address, response in pages.items()} == dict.fromkeys(pages, 200)
    telling = _telling(others)
    assert [address for address, page in pages.items() if telling.search(_without_what_was_typed(page))] == []
    # Its own survey is there.
    assert ours.code in text_of(pages[LIST])


def test_each_of_these_pages_would_say_one_to_a_superuser(others: Survey) -> None:
    client = Client()
    client.force_login(make_admin())
    pages = [(address, _without_what_was_typed(client.get(address))) for address in _lists(others)]
    assert [address for address, page in pages if not _telling(others).search(page)] == ["/admin/surveys/"]


def test_asking_for_what_is_others_is_answered_like_asking_for_what_is_not(person: User, others: Survey) -> None:
    release, budget, line = others.releases.get(), others.budget, others.budget.ledger.all()[0]
    missing = 987_654
    pairs = [
        (f"{LIST}{{}}/{page}/", release.pk.replace("_", "_5F"), "A" * 12) for page in ("change", "history", "delete")
    ]
    pairs += [(f"/admin/surveys/budget/{{}}/{page}/", budget.pk, missing) for page in ("change", "history", "delete")]
    pairs += [
        (f"/admin/surveys/budget/{{}}/{page}", budget.pk, missing) for page in ("ledger.csv", "ledger.json", "report/")
    ]
    pairs += [(f"/admin/surveys/ledgerentry/{{}}/{page}/", line.pk, missing) for page in ("change", "history")]
    pairs += [(f"/admin/surveys/survey/{{}}/{page}/", others.pk, missing) for page in ("change", "history")]
    pairs += [(f"{LIST}?survey__id__exact={{}}", others.pk, missing)]
    pairs += [("/admin/surveys/ledgerentry/?budget__survey__id__exact={}", others.pk, missing)]
    pairs += [(f"{STEP_1}?survey={{}}", others.pk, missing)]
    pairs += [(f"/admin/r/{kind}/{{}}/", others.pk, missing) for kind in range(1, 30)]
    for address, theirs, none in pairs:
        assert _answer(person, address, theirs) == _answer(person, address, none), address


def test_no_list_to_choose_from_offers_what_is_others(client: Client, others: Survey) -> None:
    for model, field in (
        ("budget", "survey"),
        ("release", "survey"),
        ("ledgerentry", "release"),
        ("release", "created_by"),
    ):
        asked = {"app_label": "surveys", "model_name": model, "field_name": field, "term": ""}
        answered = client.get("/admin/autocomplete/", asked)
        assert answered.status_code == 403 or others.releases.get().pk not in answered.content.decode()
        assert OTHERS not in answered.content.decode()


@pytest.mark.parametrize("of", ["release", "budget", "ledgerentry"])
def test_a_search_for_two_thousand_words_is_answered(client: Client, of: str) -> None:
    assert client.get(f"/admin/surveys/{of}/?q={'a+' * 2000}").status_code == 200


def test_no_list_can_be_asked_about_people_or_responses(client: Client) -> None:
    for asked in ("created_by__password__startswith=a", "survey__owner__username=x", "survey__responses__reports=1"):
        assert client.get(f"{LIST}?{asked}").status_code == 400, asked


def test_nothing_can_be_done_to_another_survey(client: Client, ours: Survey, others: Survey) -> None:
    boss = Client()
    boss.force_login(make_admin())
    signed_for_the_boss = signed_in(look(boss, others))
    release = others.releases.get()
    mixed = terms_of(ours) | {"questions": [first(others)]}
    before, of_others = dump(), others.budget.ledger.count()
    look(client, others)
    client.post(STEP_2, mixed)
    confirm(client, signed_for_the_boss)
    client.post(f"{LIST}{release.pk}/publication/", {"published": "yes"})
    client.post(LIST, {"action": "publish", "_selected_action": release.pk})
    client.post(LIST, {"action": "publish", "_selected_action": release.pk, "select_across": "1", "index": "0"})
    client.post("/admin/surveys/budget/add/", {"survey": others.pk, "total_epsilon": "9", "reason": "x"})
    client.post(f"/admin/surveys/budget/{others.budget.pk}/change/", {"total_epsilon": "9", "reason": "x"})
    # Everything that was chosen was not there; of its own one release is published, as "all" was asked for.
    assert set(changed(before, dump())) <= {"surveys_release", "surveys_budget", "surveys_ledgerentry"}
    assert others.budget.ledger.count() == of_others
    assert list(Release.objects.filter(published=True).values_list("survey", flat=True)) in ([], [ours.pk])


def test_a_releaser_releases_and_publishes_what_is_theirs(client: Client, person: User, ours: Survey) -> None:
    earlier = ours.releases.get()
    answered = confirm(client, signed_in(look(client, ours, epsilon="0.25")), "0.25")
    assert answered.status_code == 302
    release = ours.releases.exclude(pk=earlier.pk).get()
    assert (release.created_by, spent(ours)) == (person, 500_000)
    client.post(f"{LIST}{release.pk}/publication/", {"published": "yes"})
    assert Release.objects.get(pk=release.pk).published
    page = text_of(client.get(answered["Location"]))
    assert "Withdraw" in page
    assert "New release" in text_of(client.get(f"/admin/surveys/budget/{ours.budget.pk}/change/"))


def test_terms_are_not_drawn_once_the_role_is_gone(ours: Survey) -> None:
    person, client = make_user(), Client()
    roles = [Membership.objects.create(survey=one, user=person, role=Role.RELEASER) for one in (ours, ready_survey())]
    client.force_login(person)
    signed = signed_in(look(client, ours))
    roles[0].delete()
    before = dump()
    refusal = SurveyChoiceForm.base_fields["survey"].error_messages["invalid_choice"]
    assert refused_with(confirm(client, signed), refusal)
    assert changed(before, dump()) == []


def test_whoever_loses_the_last_role_does_not_get_in_any_more(ours: Survey) -> None:
    person, client = make_user(), Client()
    role = Membership.objects.create(survey=ours, user=person, role=Role.RELEASER)
    client.force_login(person)
    assert client.get("/admin/").status_code == 200
    role.delete()
    assert client.get("/admin/").status_code == 302
    Membership.objects.create(survey=ours, user=person, role=Role.RELEASER)
    User.objects.filter(pk=person.pk).update(is_active=False)
    assert client.get("/admin/").status_code == 302


def test_the_first_page_offers_releases_and_their_ledger_and_nothing_else(client: Client) -> None:
    models = re.findall(r'href="/admin/(\w+/\w+)/"', client.get("/admin/").content.decode())
    assert set(models) == {"surveys/release", "surveys/budget", "surveys/ledgerentry"}


def _set(client: Client, survey: Survey) -> None:
    fields = {"total_epsilon": "9", "total_delta": "0", "reason": "For the tests."}
    client.post("/admin/surveys/budget/add/", fields | {"survey": survey.pk})
    if budget := Budget.objects.filter(survey=survey).first():
        client.post(f"/admin/surveys/budget/{budget.pk}/change/", fields | {"total_epsilon": "10"})


def test_an_owner_sets_a_budget_only_where_the_installation_says_so(ours: Survey, settings: object) -> None:
    owner, client = ours.owner, Client()
    new, foreign = make_open(owner=owner), make_open()
    client.force_login(owner)
    before = dump()
    for survey in (ours, new, foreign):
        _set(client, survey)
    assert changed(before, dump()) == []
    settings.OWNERS_SET_BUDGETS = True  # type: ignore[attr-defined]
    for survey in (ours, new, foreign):
        _set(client, survey)
    totals = dict(Budget.objects.values_list("survey", "total_micro_epsilon"))
    assert totals == {ours.pk: 10_000_000, new.pk: 10_000_000}


def test_a_releaser_never_sets_a_budget(ours: Survey, settings: object) -> None:
    settings.OWNERS_SET_BUDGETS = True  # type: ignore[attr-defined]
    person, client = make_user(), Client()
    Membership.objects.create(survey=ours, user=person, role=Role.RELEASER)
    client.force_login(person)
    before = dump()
    _set(client, ours)
    assert changed(before, dump()) == []


def test_staff_reach_by_permission_all_and_by_role_one_more_thing(ours: Survey, others: Survey) -> None:
    """An auditor may look at everything; as a releaser of one survey, release from that one and no other."""
    auditor, client = staff_with("view_release", "view_budget"), Client()
    Membership.objects.create(survey=ours, user=auditor, role=Role.RELEASER)
    client.force_login(auditor)
    assert OTHERS in text_of(client.get(LIST))
    assert OTHERS not in text_of(client.get(STEP_1))
    before = dump()
    look(client, others)
    assert client.post(f"{LIST}{others.releases.get().pk}/publication/", {"published": "yes"}).status_code == 403
    client.post(LIST, {"action": "publish", "_selected_action": others.releases.get().pk})
    assert changed(before, dump()) == []
    assert signed_in(look(client, ours, epsilon="0.25"))


def test_a_copy_to_rehearse_with_is_not_in_the_admin(ours: Survey) -> None:
    copy = make_open(title="Rehearsed", rehearsal_of=ours)
    client = Client()
    client.force_login(make_admin())
    addresses = ("/admin/surveys/survey/", "/admin/surveys/budget/add/", STEP_1, f"{STEP_1}?survey={copy.pk}")
    for address in (*addresses, f"/admin/surveys/survey/{copy.pk}/change/"):
        assert "Rehearsed" not in text_of(client.get(address)), address
    client.post(
        "/admin/surveys/budget/add/", {"survey": copy.pk, "total_epsilon": "1", "total_delta": "0", "reason": "x"}
    )
    assert not Budget.objects.filter(survey=copy).exists()
    client.force_login(make_user())
