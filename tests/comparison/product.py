"""Fills a database with surveys of every kind in every state, and says what is to be asked of it.

Nothing else in this package imports the product: what moves is mended here.
"""

import datetime as dt
import io
import itertools
import re
import zipfile
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command, get_commands
from django.test import Client
from django.urls import get_resolver, reverse

from surveys.models import Group, Mechanism, Membership, Release, Role, Survey
from tests.accounts.people import with_second_factor
from tests.comparison.standing import Clock
from tests.documents.samples import changed, raw, whole
from tests.documents.workbooks import form as xlsform
from tests.documents.workbooks import part, with_parts
from tests.editor.form import posted, question
from tests.exporting.reports import fill_randomly
from tests.factories import every_kind, make_budget, make_draft, make_open, twenty_of_every_kind, yes_no
from tests.releases.every_release import ALL, DELTA, WITH_DELTA, every_release, questions_of, survey_of_every_kind
from tests.releases.setting import make_release
from tests.releases.steps import STEP_2, terms_of
from tests.security.addresses.row import VISITORS
from tests.security.addresses.setting import STATES, Setting
from tests.security.fuzzing import routes
from tests.security.looks import _OF_THE_ADMIN, _OF_THE_SITE
from tests.security.test_addresses import ROWS

_SAYS_WHEN = "docProps/core.xml"
Plan = dict[str, Any]
_OF_NO_SURVEY = ("/", "/account/", "/account/two-factor/", "/account/two-factor/codes/", "/account/two-factor/off/",
                 "/surveys/", "/admin/", "/check/", "/sign-in/code/")  # fmt: skip
_OPTIONS = {"one_count": {"answer": "1"}, "quantile": {"share": "1/2"}, "top": {"how_many": "2"}}
_OPTIONS["stable_median"] = {"bound": "2"}
_KINDS = (
    question(),
    question(kind="one_of", options="Never\nOnce\nOften", design="k_ary", leave_out="protected"),
    question(kind="several_of", options="Coffee\nTablets", leave_out="no"),
    question(kind="scale", points="5", low_end="Never", high_end="Always", design="k_ary"),
    question(kind="number_mean", low="0", high="12", step="0.5", unit="hours"),
    question(kind="number_bands", edges="0\n100\n1000", unit="€", design="k_ary"),
    question(design="warner", truth="3/4"),
    question(design="crosswise", innocuous="Born in May?", innocuous_share="31/365", innocuous_source="A calendar."),
    question(design="triangular", innocuous="Born in May?", innocuous_share="1/3", innocuous_source="A calendar."),
    question(
        design="unrelated_question",
        innocuous="Born in May?", innocuous_share="1/4", innocuous_source="A calendar.",
        selector="An even number?", selector_share="7/10", selector_source="A register.",
    ),
)  # fmt: skip


def fill() -> Plan:
    """Migrate and fill the database; return who visits, what they ask for, and which commands are run."""
    call_command("migrate", verbosity=0)
    setting = Setting()
    setting.client("anonymous")
    for state in STATES:
        _later()
        setting.survey(state)
    table = list(_of_the_table(setting))
    surveys = [_shared(survey, setting) for survey in _of_every_kind(setting)]
    cookies = {name: setting.client(name).cookies for name in VISITORS}
    for name, user in _others():
        client = Client()
        client.force_login(user)
        cookies[name] = client.cookies
    released, opened, _few, closed, _sealed, draft, *_more = surveys
    rich = [survey.code for survey in (opened, draft, closed, released)]
    demo = list(Survey.objects.filter(owner__username="instructor").order_by("pk").values_list("code", flat=True))
    codes = list(Survey.objects.filter(rehearsal_of=None).order_by("pk").values_list("code", flat=True))
    codes = [*rich, *(code for code in codes if code not in {*rich, *demo})]
    keys = Release.objects.order_by("pk").values_list("pk", flat=True)
    return {
        "cookies": {name: {key: morsel.value for key, morsel in jar.items()} for name, jar in cookies.items()},
        # What is asked for in every language, and what in one, by visitor.
        "everywhere": [
            *table,
            *(["owner", "POST", address, fields] for address, fields in _written()),
            *(["admin", "POST", STEP_2, fields] for fields in _terms(released, ALL)),
            *(["owner", "GET", address, {}] for address in [*_OF_THE_SITE, *_of_surveys(rich, "surveys/")]),
            *(["admin", "GET", address, {}] for address in _OF_THE_ADMIN),
            *(["careful", "GET", address, {}] for address in _OF_NO_SURVEY),
        ],
        "once": [
            *(["owner", "GET", address, {}] for address in _of_surveys(codes)),
            *(["instructor", "GET", address, {}] for address in ["/surveys/", *_of_surveys(demo)]),
            *(["anonymous", "GET", address, {}] for address in _of_surveys([*rich, *demo], "s/")),
            *(["anonymous", "GET", f"/r/{key}{end}", {}] for key in keys for end in ("/", ".json")),
            *(["admin", "POST", STEP_2, fields] for fields in _terms(released, _each())),
        ],
        "commands": list(_commands([*codes, *demo], released)),
    }


def _later() -> None:
    Clock.now += dt.timedelta(minutes=7)


def _of_the_table(setting: Setting) -> Iterator[list[Any]]:
    """Yield every row of the table of addresses for every visitor; what a body names is made at once."""
    for row in ROWS:
        survey = setting.survey(row.state)
        row.prepare(setting, survey)
        for visitor in VISITORS:
            yield [visitor, "GET", row.address(setting, survey), {}]
            if row.post is not None:
                yield [visitor, "POST", row.address(setting, survey), row.fields(setting, survey)]


def _of_every_kind(setting: Setting) -> Iterator[Survey]:
    """Yield surveys with every kind and design: with releases, open, with few answers, closed, sealed, drafted."""
    owner, client, admin = setting.people["owner"], setting.client("owner"), setting.client("admin")
    released = survey_of_every_kind(owner=owner, title="Released in every way")
    release, *_others = list(every_release(released))
    admin.post(reverse("admin:surveys_release_publication", args=[release.pk]))
    make_release(released, user=setting.people["admin"])
    yield released
    for number, title in ((150, "Open"), (6, "Nearly empty"), (90, "Closed"), (60, "Sealed")):
        _later()
        survey = make_open(*every_kind(), owner=owner, title=title, server_mode_allowed=True, minimum_n=5)
        for name in ("North", "South"):
            client.post(reverse("survey-groups", args=[survey.code]), {"action": "add", "name": name})
        for seed, group in enumerate([None, *Group.objects.filter(survey=survey).order_by("pk")]):
            fill_randomly(survey, number, seed=seed, group=group)
            fill_randomly(survey, number // 3, seed=seed + 9, group=group, mode="own_coin")
        make_budget(survey)
        if title in {"Closed", "Sealed"}:
            client.post(reverse("survey-close", args=[survey.code]))
        if title == "Sealed":
            client.post(reverse("survey-seal", args=[survey.code]), {"code": survey.code})
        yield survey
    for language in ("en", "de", "es"):
        _later()
        yield make_draft(*twenty_of_every_kind(), owner=owner, title="Drafted", language=language)
    client.post(reverse("survey-next-version", args=[setting.survey("closed").code]))
    draft = make_draft(yes_no(), owner=owner, title="Rehearsed")
    for name, fields in (("survey-rehearse", {"respondents": "20", "q1-0": "30"}), ("survey-rehearse-step", {})):
        client.post(reverse(name, args=[draft.code]), fields)
    call_command("demo", no_serve=True, stdout=io.StringIO(), stderr=io.StringIO())


def _shared(survey: Survey, setting: Setting) -> Survey:
    """Let everybody who takes part in the owner's other surveys take part in this one."""
    Membership.objects.bulk_create(
        Membership(survey=survey, user=setting.people[role], role=role, invited_by=survey.owner) for role in Role.values
    )
    return survey


def _others() -> Iterator[tuple[str, User]]:
    """Yield an instructor of somebody else's surveys, and somebody with a second factor."""
    yield "instructor", User.objects.get(username="instructor")
    yield "careful", with_second_factor("the.careful")[0]


def _of_surveys(codes: list[str], under: str = "") -> Iterator[str]:
    """Yield every address that takes a survey's code and nothing else, survey by survey."""
    for code, route in itertools.product(codes, sorted(routes(get_resolver().url_patterns))):
        if re.findall("<[^>]*>", route) == ["<str:code>"] and route.startswith(under):
            yield "/" + route.replace("<str:code>", code)


def _written() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what an author may write or import: every kind and design, right and wrong."""
    for kind in _KINDS:
        yield reverse("survey-preview-typed"), posted(kind)
        for fields in ([kind], [kind | {"text": ""}, kind | {"truth": "1/0", "leave_out": "protected"}]):
            yield reverse("survey-new"), posted(*fields, expected_n="many" if len(fields) > 1 else "30")
    wrong = changed(("questions", 0, "parameters", "truth"), "abc")
    sheet = xlsform(("select_one yesno", "q1", "Ever?"), ("text", "why", "Why?"), form_title="Exams")
    # It says when it was made.
    made = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2026-03-02T12:07:30Z", part(sheet, _SAYS_WHEN))
    with zipfile.ZipFile(io.BytesIO(sheet)) as archive:
        # Parts that openpyxl writes by way of files have those files' time, which no clock of ours sets.
        sheet = with_parts(sheet, {name: archive.read(name) for name in archive.namelist()} | {_SAYS_WHEN: made})
    for name, content in (("a.json", raw(whole())), ("b.json", raw(wrong)), ("c.xlsx", sheet), ("d", b"x")):
        yield reverse("survey-import"), {"file": {"name": name, "base64": b64encode(content).decode()}}


def _each() -> Iterator[tuple[str, tuple[int, ...], dict[str, str]]]:
    """Yield every mechanism for each question of the survey of every kind, suitable or not."""
    for mechanism, place in itertools.product(Mechanism.values, range(13)):
        yield mechanism, (place,), _OPTIONS.get(mechanism, {})


def _terms(survey: Survey, asked: Iterable[tuple[str, Sequence[int], Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yield the terms of releases as the admin's second step sends them."""
    for mechanism, places, options in asked:
        questions = [question.pk for question in questions_of(survey, places)]
        delta = {"delta": str(float(DELTA) * len(places))} if mechanism in WITH_DELTA else {}
        yield terms_of(survey, questions=questions, mechanism=str(mechanism), **options, **delta)


def _commands(codes: list[str], released: Survey) -> Iterator[list[str]]:
    """Yield the commands that only tell something, and what every other one says of itself."""
    yield from ([name, "--help"] for name, app in sorted(get_commands().items()) if app == "surveys")
    yield from (["export_survey", code] for code in codes)
    for mechanism, places, options in ALL:
        words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
        words += [word for place in places for word in ("--question", str(place + 1))]
        words += ["--delta", "0.000001"] if mechanism in WITH_DELTA else []
        for way in ([], ["--json"]):
            named = ["--mechanism", str(mechanism), "--epsilon", "0.5", "--reason", "To see.", "--user", "the.admin"]
            yield ["release", released.code, *named, *words, "--dry-run", *way]
    yield ["makemigrations", "--check", "--dry-run"]
    yield ["migrate", "--check"]
