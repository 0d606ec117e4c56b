"""A kind of question that stands in this module alone is written, asked, counted, exported and released."""

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from surveys.answering.services.collecting import new_nonce
from surveys.course.services import close_survey
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import document_of
from surveys.models import Mechanism, Response, Survey
from surveys.questionnaire import kinds
from surveys.questionnaire.kinds import Answers, Detail, Figures, Typed
from surveys.questionnaire.question import Question
from tests.editor.form import NEW, posted, question
from tests.exporting.reports import download, table_of
from tests.exporting.running import BLOCKING, numbers, run, saved
from tests.factories import every_kind, fill, item_count, make_admin, make_budget, make_draft, make_open, yes_no
from tests.pages import client_of, owner_of, page_of, signed_in, text_of
from tests.questionnaire.made_up import registered_in, take_back
from tests.releases.setting import make_release, published_release
from tests.releases.steps import STEP_1, STEP_2
from tests.releases.steps import text_of as words_of

pytestmark = pytest.mark.django_db
ROOT = Path(settings.BASE_DIR)
FREQUENCY = "frequency"
TEXT = "How often did you cheat?"
REPORTS = {"0": 40, "1": 12, "2": 8}
TYPED = {"kind": FREQUENCY, "text": TEXT, "design": "k_ary", "leave_out": "no", "period": "a month", "most": "30"}


WRONG = "A period has 2 to 1000 times."


@dataclass(frozen=True)
class Frequency(Answers):
    """How often in a period: never, at times, or up to so many times."""

    name = FREQUENCY
    label = "How often in a period"
    details = (
        Detail("period", "Period", longest=20),
        Detail("most", "As often as possible", Typed.WHOLE, initial="7"),
    )
    controls = "answering/_question_scale.html"
    figures = Figures.POINTS

    period: str = ""
    most: int = 0

    def check_details(self, details: Mapping[str, Any]) -> None:
        if type(details.get("most")) is not int or not 2 <= details["most"] <= 1000:
            raise ValidationError({"most": WRONG})

    @property
    def labels(self) -> tuple[str, ...]:
        return "never", "at times", f"{self.most} times {self.period}"

    @property
    def values(self) -> tuple[Fraction, ...]:
        return Fraction(1), Fraction(2), Fraction(3)

    @property
    def exported(self) -> dict[str, Any]:
        return {"most": self.most}


@pytest.fixture
def registered() -> Iterator[None]:
    with registered_in(kinds, Frequency()):
        yield


@pytest.fixture
def survey(registered: None) -> Survey:
    return make_open(_draft(), server_mode_allowed=True)


def _draft() -> Question:
    return Question(
        kind=FREQUENCY,
        text=TEXT,
        options=[],
        design="k_ary",
        parameters={"truth": [1, 2]},
        leave_out="no",
        details={"period": "a month", "most": 30},
    )


@pytest.mark.usefixtures("registered")
def test_it_is_chosen_and_described_in_the_editor() -> None:
    client = signed_in()
    page = text_of(client.get(NEW))
    label = Frequency.label
    assert re.search(rf'<input type="radio" [^>]*value="{FREQUENCY}"[^>]*>.{{0,300}}<span>{label}</span>', page)
    assert f'<details data-needs="{FREQUENCY}"> <summary>{label}</summary>' in page
    assert re.search(r'name="questions-1-period"[^>]* maxlength="20"', page)
    assert re.search(r'name="questions-1-most"[^>]* value="7"', page)
    suitable = re.search(r'<script id="suitable"[^>]*>(.*?)</script>', page)
    assert suitable
    assert json.loads(suitable[1])[FREQUENCY]["visibly"] == ["k_ary", "plain"]


@pytest.mark.usefixtures("registered")
def test_the_editor_stores_it_and_tells_what_its_own_check_refuses() -> None:
    client = signed_in()
    refused = text_of(client.post(NEW, posted(question(**TYPED) | {"most": "1"})))
    assert WRONG in refused
    client.post(NEW, posted(question(**TYPED)))
    survey = Survey.objects.get()
    (stored,) = survey.questions
    assert (stored.kind, stored.details) == (FREQUENCY, {"period": "a month", "most": 30})
    edited = page_of("survey-edit", survey)
    assert TEXT in edited


def test_a_respondent_reads_it_and_answers_it(client: Client, survey: Survey) -> None:
    page = text_of(client.get(f"/s/{survey.code}/"))
    assert TEXT in page
    assert "30 times a month" in page
    sent = {"mode": "device", "nonce": new_nonce(), "reports": "2"}
    assert client.post(f"/s/{survey.code}/", sent).status_code == 303
    by_coin = {"mode": "own_coin", "nonce": new_nonce(), "item-1": "1"}
    assert Client().post(f"/s/{survey.code}/", by_coin).status_code == 303
    assert sorted(Response.objects.values_list("reports", flat=True)) == ["1", "2"]


def test_its_results_have_shares_and_the_figures_of_its_family(survey: Survey) -> None:
    fill(survey, REPORTS)
    client = owner_of(survey)
    overview = text_of(client.get(reverse("survey-results", args=[survey.code])))
    alone = text_of(client.get(reverse("survey-results-question", args=[survey.code, 1])))
    methods = text_of(client.get(reverse("survey-results-methods", args=[survey.code])))
    for page in (overview, alone):
        assert "30 times a month" in page
        assert "Mean" in page
    assert "1, 2, …" in methods
    for name in ("relate", "groups", "bayes", "plan", "regression"):
        assert client.get(reverse(f"survey-results-{name}", args=[survey.code])).status_code == 200


def test_every_file_tells_it(survey: Survey, tmp_path: Path) -> None:
    fill(survey, REPORTS)
    survey = close_survey(survey=survey)
    client = owner_of(survey)
    head, reports = table_of(download(client, survey, "survey-export-csv"))
    assert len(reports) == sum(REPORTS.values())
    (described,) = json.loads(download(client, survey, "survey-export-json"))["items"]
    assert (described["kind"], described["most"]) == (FREQUENCY, 30)
    assert described["name"] in head
    _head, codes = table_of(download(client, survey, "survey-export-codebook-csv"))
    assert [FREQUENCY in row for row in codes] == [True] * 3
    assert Frequency.label in download(client, survey, "survey-export-codebook").decode()
    assert f'item["kind"] in ["scale", "{FREQUENCY}"]' in download(client, survey, "survey-export-python").decode()
    assert f'item$kind %in% c("scale", "{FREQUENCY}")' in download(client, survey, "survey-export-r").decode()
    folder, out = saved(survey, tmp_path), tmp_path / "results.csv"
    run([sys.executable, "-c", BLOCKING, str(folder / "analysis.py"), str(folder / _responses(survey)), str(out)])
    assert f"{described['name']}.mean.moment" in numbers(out)


def _responses(survey: Survey) -> str:
    return f"figures-{survey.code}.csv"


def test_a_document_carries_it(survey: Survey) -> None:
    document = json.loads(json.dumps(document_of(survey)))
    assert list(read_document(document).questions) == [_draft()]
    document["questions"][0]["details"]["most"] = 1
    with pytest.raises(DocumentRefused, match=WRONG):
        read_document(document)


def test_it_is_released(survey: Survey, client: Client) -> None:
    staff = client_of(make_admin())
    fill(survey, REPORTS)
    make_budget(survey, 2, Fraction(0))
    assert f"{TEXT} ({Frequency.label}, 60 answers)" in words_of(staff.get(STEP_1, {"survey": survey.pk}))
    terms = staff.get(STEP_2, {"survey": survey.pk, "questions": [1]})
    suitable = {choice.name for choice in terms.context["form"].suitable}
    assert {Mechanism.LAPLACE_HISTOGRAM, Mechanism.QUANTILE, Mechanism.MEAN} <= suitable
    make_release(survey, mechanism=Mechanism.MEAN)
    release = published_release(survey)
    assert "30 times a month" in text_of(client.get(reverse("release", args=[release.pk])))
    (part,) = client.get(reverse("release-json", args=[release.pk])).json()["parts"]
    assert (part["kind"], part["values"]) == (FREQUENCY, ["1", "2", "3"])


@pytest.mark.usefixtures("registered")
def test_it_is_gone_when_it_is_unregistered() -> None:
    document = document_of(make_draft(_draft()))
    take_back(kinds, FREQUENCY)
    client = signed_in()
    page = text_of(client.get(NEW))
    assert FREQUENCY not in page
    assert "questions-1-period" not in page
    client.post(NEW, posted(question(**TYPED)))
    assert Survey.objects.get().question_count == 1
    assert kinds.details_of(FREQUENCY, "k_ary") == ()
    assert kinds.suitable_designs(FREQUENCY) == ()
    with pytest.raises(ValueError, match="'frequency'"):
        kinds.named(FREQUENCY)
    read = make_open(yes_no())
    fill(read, {"0": 20})
    assert '== "scale"' in download(owner_of(read), read, "survey-export-python").decode()
    with pytest.raises((DocumentRefused, ValueError)):
        read_document(document)


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="already"):
        kinds.register(kinds.named("scale"))


def test_every_kind_is_asked_by_tests() -> None:
    assert {draft.kind for draft in [*every_kind(), item_count()]} == {kind.name for kind in kinds.every()}


@pytest.mark.parametrize("schema", ["survey-1", "release-1"])
def test_the_schemas_name_every_kind(schema: str) -> None:
    document = json.loads((ROOT / f"static/schemas/{schema}.schema.json").read_text(encoding="utf-8"))
    assert list(_enums(document)) == [[kind.name for kind in kinds.every()]]


def _enums(part: object) -> Iterator[list[str]]:
    """Yield what a schema allows wherever it describes a kind of question."""
    for name, inner in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        if name == "kind" and "enum" in inner and "yes_no" in inner["enum"]:
            yield inner["enum"]
        yield from _enums(inner)


def test_a_field_that_kinds_share_comes_after_the_other_fields_of_each() -> None:
    names = [detail.name for detail in kinds.all_details()]
    assert names == ["points", "low_end", "high_end", "low", "high", "step", "edges", "unit"]


# What asks for a particular kind

NAMES = frozenset(kind.name for kind in kinds.every())
_COMPARED = r"""\bkind["'\]]{0,2}(?:\.value)?\s{0,3}(?:[=!]==?|%in%|in)\s{0,3}[\w(]{0,3}["']"""
_NAMED = rf"""["'\s](?:{"|".join(sorted(NAMES - {"scale"}))})["'\s]"""
_IN_A_TEMPLATE = re.compile(f"{_COMPARED}|{_NAMED}")


def _names_a_kind(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in NAMES


def _asks(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that compare with a kind, look it up in a set or a table of kinds, or match it."""
    for node in ast.walk(tree):
        asked: list[ast.AST] = []
        match node:
            case ast.Compare():
                asked = [node.left, *node.comparators]
                asked += [
                    each for part in asked if isinstance(part, ast.Set | ast.Tuple | ast.List) for each in part.elts
                ]
            case ast.Set():
                asked = list(node.elts)
            case ast.Dict():
                # A scale is more than a kind.
                keys = [key for key in node.keys if key is not None]
                asked = keys if any(map(_names_a_kind, keys)) and all(map(_names_a_kind, keys)) else []
            case ast.MatchValue():
                asked = [node.value]
        if any(map(_names_a_kind, asked)):
            yield node.lineno  # type: ignore[attr-defined]


def _files(folder: str, *endings: str) -> Iterator[Path]:
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in endings and ROOT / "surveys/questionnaire/kinds" not in path.parents:
            yield path


def test_no_program_asks_for_a_particular_kind() -> None:
    asking = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in _files("surveys", ".py")
        for line in _asks(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert asking == []


def test_no_template_and_no_script_asks_for_a_particular_kind() -> None:
    paths = [*_files("templates", ".html", ".txt"), *_files("static/js", ".js")]
    asking = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if _IN_A_TEMPLATE.search(line)
    ]
    assert asking == []


@pytest.mark.parametrize(
    "planted",
    [
        "if question.kind == 'scale': pass",
        "several = asked.kind == 'several_of'",
        "_SHARED = frozenset({'one_of', 'scale'})",
        "if item.kind in ('yes_no', 'several_of'): pass",
        "WORDS = {'scale': 'a scale'}",
        "match kind:\n    case 'scale': pass",
    ],
)
def test_a_planted_question_for_a_kind_is_caught(planted: str) -> None:
    assert list(_asks(ast.parse(planted)))


@pytest.mark.parametrize(
    "planted",
    [
        '{% if question.kind == "scale" %}',
        'if item["kind"] == "scale":',
        'if (item$kind == "scale") {',
        'if (kind.value === "scale")',
        'data-needs="one_of several_of"',
    ],
)
def test_a_planted_question_for_a_kind_is_caught_in_a_template(planted: str) -> None:
    assert _IN_A_TEMPLATE.search(planted)
