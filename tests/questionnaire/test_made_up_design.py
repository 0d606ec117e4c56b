"""A design that stands in this module alone is chosen, carried out, estimated, planned and exported."""

import ast
import json
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from surveys.answering.services.collecting import new_nonce
from surveys.course.services import close_survey
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.documents.starters import STARTERS
from surveys.drafts.selectors import document_of
from surveys.editor.forms.question import truth_at
from surveys.estimation.planning.comparison import compare_designs
from surveys.models import Response, Survey
from surveys.privacy.designs import Design, DesignFamily, families, named
from surveys.privacy.designs.at_epsilon import truth_for
from surveys.privacy.designs.family import PAIR, Parameters
from surveys.privacy.designs.two_answer import by_yes
from surveys.privacy.rationals import probability
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.designs import Chance
from surveys.questionnaire.question import Question
from tests.editor.form import NEW, posted, question
from tests.exporting.reports import download, table_of
from tests.exporting.running import BLOCKING, numbers, run, saved
from tests.factories import (
    every_kind,
    fill,
    make_draft,
    make_open,
    number_window,
    scrambled_number,
    unrelated_number,
    yes_no,
)
from tests.pages import owner_of, page_of, presentation_of, signed_in, text_of
from tests.questionnaire.made_up import registered_in, take_back

pytestmark = pytest.mark.django_db
ROOT = Path(settings.BASE_DIR)
ONE_DIE = "one_die"
LABEL = "A die instead of the second coin"
TEXT = "Have you ever slept in a lecture?"
REPORTS = {"0": 40, "1": 20}  # λ = 1/3, so (1/3 − 1/6)/(1/2) = 1/3 is estimated
CHANCE = Fraction(1, 3)


def one_die(truth: object) -> Design:
    """Return the design of a coin, and of a die that says Yes with one and two."""
    truth = probability(truth, "truth")
    chance = (1 - truth) * CHANCE
    return Design(ONE_DIE, by_yes(truth + chance, chance), (("truth", truth),))


def _truth_at(odds: Fraction, _k: int, _others: Parameters) -> Fraction:
    return truth_for(odds, CHANCE)


class OneDie(Chance):
    """The coin says "the truth" or "what the die says"."""

    name = ONE_DIE
    label = LABEL
    matrices = DesignFamily(ONE_DIE, one_die, {"truth": PAIR}, turned_by="truth", probability_at=_truth_at)
    citation = "Nobody 2026"
    references = (("Nobody (2026)", "A die that nobody has thrown."),)
    typed_in = {"truth": "truth"}  # noqa: RUF012
    sentence = "With probability %(truth)s the phone sends the truth; else a die says %(label)s in two throws of six."
    by_chance = "Of 100 reports the die makes %(floor)s say “%(report)s”."
    chance_stands_apart = True


@pytest.fixture
def registered() -> Iterator[None]:
    with registered_in(designs, OneDie()):
        yield


@pytest.fixture
def survey(registered: None) -> Survey:
    return make_open(_draft(), server_mode_allowed=True)


def _draft() -> Question:
    return yes_no(TEXT, design=ONE_DIE, parameters={"truth": (1, 2)})


@pytest.mark.usefixtures("registered")
def test_it_is_chosen_and_turned_in_the_editor() -> None:
    client = signed_in()
    page = text_of(client.get(NEW))
    assert f'<option value="{ONE_DIE}">{LABEL}</option>' in page
    assert re.search(rf'data-needs="[a-z_ ]+ {ONE_DIE}"', page)
    suitable = re.search(r'<script id="suitable"[^>]*>(.*?)</script>', page)
    assert suitable
    offered = json.loads(suitable[1])
    assert ONE_DIE in offered["yes_no"]["visibly"]
    assert ONE_DIE not in offered["yes_no"]["protected"] + offered["scale"]["no"]
    client.post(NEW, posted(question(text=TEXT, design=ONE_DIE, truth="1/2")))
    survey = Survey.objects.get()
    (stored,) = survey.questions
    assert (stored.design, stored.parameters) == (ONE_DIE, {"truth": (1, 2)})
    dial = page_of("survey-edit", survey)
    assert "ε = 1.39" in dial  # ln 4
    assert OneDie.sentence % {"truth": "1/2", "label": "Yes"} in dial
    assert 'data-value="11/20"' in dial
    assert f"{LABEL}: ±" in dial
    assert f"The design here is “{LABEL}”." in dial


@pytest.mark.usefixtures("registered")
def test_its_coin_is_turned_to_a_wished_epsilon() -> None:
    truth = Fraction(truth_at(question(text=TEXT, design=ONE_DIE), "1"))
    assert 0.99 <= one_die(truth).epsilon <= 1


@pytest.mark.usefixtures("registered")
def test_what_is_typed_of_it_is_refused_at_its_own_field() -> None:
    refused = text_of(signed_in().post(NEW, posted(question(text=TEXT, design=ONE_DIE, truth=""))))
    assert 'href="#id_questions-1-truth"' in refused
    assert not Survey.objects.exists()


def test_a_respondents_phone_gets_its_matrix_and_every_page_takes_its_reports(client: Client, survey: Survey) -> None:
    page = text_of(client.get(f"/s/{survey.code}/"))
    script = re.search(r'<script id="definition" type="application/json">(.*?)</script>', page)
    assert script
    (asked,) = json.loads(script[1])["questions"]
    assert (asked["denominator"], asked["columns"]) == (6, [[5, 1], [2, 4]])
    assert "66.7 of 100" in page
    sent = {"mode": "device", "nonce": new_nonce(), "reports": "1"}
    assert client.post(f"/s/{survey.code}/", sent).status_code == 303
    by_coin = text_of(Client().get(f"/s/{survey.code}/own-coin/"))
    assert "Throw a die" in by_coin
    sent = {"mode": "own_coin", "nonce": new_nonce(), "item-1": "0"}
    assert Client().post(f"/s/{survey.code}/", sent).status_code == 303
    sent = {"mode": "server", "nonce": new_nonce(), "answer-1": "1"}
    assert Client().post(f"/s/{survey.code}/server/", sent).status_code == 303
    assert Response.objects.count() == 3


def test_its_results_have_its_chance_taken_out(survey: Survey) -> None:
    fill(survey, REPORTS)
    assert f"{LABEL} · ε = 1.39" in page_of("survey-results", survey)
    assert "33%" in page_of("survey-results-question", survey, number=1)
    methods = page_of("survey-results-methods", survey)
    assert "[Nobody 2026]" in methods
    assert OneDie.references[0][1] in methods
    assert OneDie.by_chance % {"floor": "16.7", "report": "Yes"} in presentation_of(survey, "?question=1")
    for name in ("relate", "groups", "bayes", "regression"):
        page_of(f"survey-results-{name}", survey)


def test_it_is_compared_where_a_survey_is_planned(survey: Survey) -> None:
    fill(survey, REPORTS)
    assert f'<th scope="row">{LABEL}</th>' in page_of("survey-results-plan", survey)
    rows = {row.name: row for row in compare_designs(epsilon=1.0, n=100, prevalence=0.3)}
    assert rows[ONE_DIE].design.epsilon == pytest.approx(1, rel=1e-6)
    assert rows[ONE_DIE].half_width > rows["forced_response"].half_width
    elsewhere = make_open(yes_no())
    fill(elsewhere, REPORTS)
    assert LABEL in page_of("survey-results-plan", elsewhere)


def test_every_file_tells_it(survey: Survey, tmp_path: Path) -> None:
    fill(survey, REPORTS)
    survey = close_survey(survey=survey)
    client = owner_of(survey)
    (described,) = json.loads(download(client, survey, "survey-export-json"))["items"]
    assert (described["design"], described["numerators"], described["denominator"]) == (ONE_DIE, [[5, 2], [1, 4]], 6)
    _head, codes = table_of(download(client, survey, "survey-export-codebook-csv"))
    assert [ONE_DIE in row and "truth = 1/2" in row for row in codes] == [True] * 2
    assert LABEL in download(client, survey, "survey-export-codebook").decode()
    folder, out = saved(survey, tmp_path), tmp_path / "results.csv"
    reports = folder / f"figures-{survey.code}.csv"
    run([sys.executable, "-c", BLOCKING, str(folder / "analysis.py"), str(reports), str(out)])
    assert pytest.approx(1 / 3) in numbers(out).values()
    assert TEXT in page_of("survey-ethics", survey)


def test_a_document_carries_it(survey: Survey) -> None:
    document = json.loads(json.dumps(document_of(survey)))
    assert list(read_document(document).questions) == [_draft()]
    document["questions"][0]["parameters"]["yes"] = [1, 2]
    with pytest.raises(DocumentRefused, match=r"one_die .*'yes'"):
        read_document(document)


@pytest.mark.usefixtures("registered")
def test_it_is_gone_when_it_is_unregistered() -> None:
    document = document_of(make_draft(_draft()))
    take_back(designs, ONE_DIE)
    client = signed_in()
    page = text_of(client.get(NEW))
    assert ONE_DIE not in page
    assert LABEL not in page
    client.post(NEW, posted(question(text=TEXT, design=ONE_DIE, truth="1/2")))
    assert Survey.objects.get().question_count == 1
    assert ONE_DIE not in {family.name for family in families()}
    with pytest.raises(ValueError, match="'one_die'"):
        named(ONE_DIE, 2, {"truth": (1, 2)})
    with pytest.raises(ValueError, match="'one_die'"):
        designs.named(ONE_DIE)
    elsewhere = make_open(yes_no())
    fill(elsewhere, REPORTS)
    assert LABEL not in page_of("survey-results-plan", elsewhere)
    assert "Nobody (2026)" not in page_of("survey-results-methods", elsewhere)
    with pytest.raises((DocumentRefused, ValueError)):
        read_document(document)


# The objects and the tables that cannot ask them


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="already"):
        designs.register(designs.USUAL)


def test_every_design_is_asked_by_tests() -> None:
    assert {draft.design for draft in (*every_kind(), number_window(), scrambled_number(), unrelated_number())} == {
        design.name for design in designs.every()
    }


@pytest.mark.parametrize("design", designs.every(), ids=lambda design: design.name)
def test_a_design_has_the_parameters_of_its_matrices(design: Chance) -> None:
    assert design.matrices.name == design.name
    typed = [name for name in design.matrices.stored if name in design.typed_in]
    assert list(design.typed_in) == typed
    # How many values there are follows from a number's limits and steps where nobody rounds.
    follows = {"grid"} if design.for_numbers and design.tapped else set()
    assert design.matrices.stored.keys() - design.typed_in.keys() <= design.matrices.optional | follows
    assert design.always_proves is (design.protects and not design.matrices.turned_by)
    assert design.in_the_head is bool(design.matrices.facts)
    assert design.tapped is (design.in_the_head or not design.protects)
    assert not design.without_proof or designs.find(design.without_proof)
    cited = [design.citation.split(" ")[0].rstrip(",")] if design.protects else []
    assert [work.split(" ")[0].rstrip(",") for work, _title in design.references] == cited


def test_the_schema_describes_every_design() -> None:
    schema = json.loads((ROOT / "static/schemas/survey-1.schema.json").read_text(encoding="utf-8"))["$defs"]
    assert schema["question"]["properties"]["design"]["enum"] == [design.name for design in designs.every()]
    described = {
        name: (set(shape["properties"]), set(shape.get("required", ())))
        for shape in schema["parameters"]["anyOf"]
        for name in re.split(r", |;", shape["description"])
        if designs.find(name)
    }
    assert described == {
        design.name: (set(design.matrices.stored), set(design.matrices.stored) - design.matrices.optional)
        for design in designs.every()
    }
    for design in designs.every():
        for name, longest in design.details.items():
            assert schema["details"]["properties"][name]["maxLength"] == longest


# What names a particular design

# These are words of the language as well.
_WORDS = {"matrix", "MATRIX", "plain"}
_NAMES = sorted(
    {
        *(f.name for f in designs.every()),
        *(f.name.upper() for f in designs.every()),
        *(family.name for family in families()),
    }
    - _WORDS
)
_NAMED = re.compile(rf"(?<![\w-])(?:{'|'.join(_NAMES)})(?![\w-])|(?:name|design) *={{2,3}} *.plain\b")
_HOMES = ("surveys/questionnaire/designs", "surveys/privacy/designs", "surveys/migrations")
_ALLOWED = {
    # What the library offers, by name.
    "surveys/estimation/__init__.py",
    "surveys/privacy/__init__.py",
    # Surveys that are ready to be asked: each says with which design, as every author does.
    "surveys/management/classes.py",
    "surveys/documents/starters.py",
    # Estimators that are this design's alone: its mathematics, above its matrix.
    "surveys/estimation/adherence/arms.py",
    "surveys/estimation/prevalence.py",
    "surveys/estimation/unary.py",
}


def _names_in(tree: ast.AST) -> Iterator[int]:
    """Yield the lines whose identifiers, or texts other than docstrings, name a design."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        texts: list[str] = []
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                texts = [text]
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                texts = [name]
            case ast.ImportFrom(module=module, names=names):
                texts = [*(module or "").split("."), *(alias.name for alias in names)]
        if any(map(_NAMED.search, texts)):
            yield node.lineno  # type: ignore[attr-defined]


def _product(folder: str, *endings: str) -> Iterator[tuple[str, Path]]:
    for path in sorted((ROOT / folder).rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        # The lab teaches designs by their names.
        if path.suffix in endings and not name.startswith((*_HOMES, "surveys/learn/pages/", "templates/learn/pages/")):
            yield name, path


def _naming() -> dict[str, list[int]]:
    lines_by_file = {
        name: sorted(_names_in(ast.parse(path.read_text(encoding="utf-8"))))
        for name, path in _product("surveys", ".py")
    }
    return {name: lines for name, lines in lines_by_file.items() if lines}


def test_no_program_names_a_design() -> None:
    assert _naming().keys() == _ALLOWED


def test_no_template_and_no_script_names_a_design() -> None:
    paths = [*_product("templates", ".html", ".txt"), *_product("static", ".js", ".css"), *_product("surveys", ".txt")]
    assert [name for name, path in paths if _NAMED.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "planted",
    [
        "if item.design.name == 'crosswise': pass",
        "from surveys.privacy.designs import warner",
        "from surveys.privacy.designs.two_answer import FORCED_RESPONSE",
        "WORDS = {'k_ary': 'a spinner'}",
        "match name:\n    case 'triangular': pass",
        "rule = ('design unrelated_question', 1)",
    ],
)
def test_a_planted_name_is_caught(planted: str) -> None:
    assert list(_names_in(ast.parse(planted)))


@pytest.mark.parametrize(
    "planted", ['{% if item.design.name == "crosswise" %}', 'name === "k_ary"', 'data-needs="forced_response warner"']
)
def test_a_planted_name_is_caught_in_a_template(planted: str) -> None:
    assert _NAMED.search(planted)


def test_the_starters_ask_with_designs_that_there_are() -> None:
    for starter in STARTERS:
        for asked in starter.content.questions:
            assert asked.design in kinds.suitable_designs(asked.kind)
