"""What the JSON of a release says is computed again from it, by a script that knows nothing of the program."""

import ast
import copy
import importlib.util
import json
import math
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from surveys.models import Mechanism
from surveys.questionnaire.kinds import Range
from surveys.releases.families.counts import _between
from surveys.releases.files import document_of
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services.releasing import withdraw
from tests.factories import one_by_option, scale, yes_no
from tests.privacy.chance import seeded
from tests.releases.every_release import every_release, survey_of_every_kind
from tests.releases.people import in_order, joined_survey
from tests.releases.setting import published_release, ready_survey

SCRIPT = Path(str(finders.find("verify_release.py")))


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_release", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VERIFIER = _loaded()


@cache
def documents_of_every_mechanism() -> list[dict[str, Any]]:
    """Return documents of every mechanism and kind; some are of draws that may have been chosen."""
    made = list(every_release(survey_of_every_kind(n=300, seed=3)))
    for release in made[1:3]:
        withdraw(release=release, user=release.created_by)
    shown = charged_releases().filter(pk__in=[release.pk for release in made])
    return [json.loads(json.dumps(document_of(reading_of(release)))) for release in shown]


def test_shares_that_are_zero_but_for_rounding_lead_to_no_mean() -> None:
    assert _between(Range(Fraction(0), Fraction(10), Fraction(1), ""), 0.1 + 0.2, -0.3) is None
    assert VERIFIER.between(SimpleNamespace(low=Fraction(0), high=Fraction(10)), 0.1 + 0.2, -0.3) is None


@pytest.mark.django_db
def test_documents_of_every_mechanism_are_computed_again() -> None:
    documents = documents_of_every_mechanism()
    assert {document["mechanism"] for document in documents} == set(Mechanism.values) == set(VERIFIER.MECHANISMS)
    chosen_from = {part["draws"]["chosen_from"] for document in documents for part in document["parts"]}
    assert min(chosen_from) == 1 < max(chosen_from)
    for document in documents:
        number, faults = VERIFIER.faults_of(document)
        assert faults == [], document["mechanism"]
        assert number > 10


@pytest.mark.django_db
def test_another_distance_than_that_of_the_bound_of_a_median_is_a_fault() -> None:
    survey = ready_survey({"2": 200}, scale())
    document = document_of(reading_of(published_release(survey, mechanism=Mechanism.SMOOTH_MEDIAN, epsilon=1)))
    [part] = document["parts"]
    assert part["found"]["high"] - part["found"]["low"] < 1
    assert VERIFIER.faults_of(document)[1] == []
    part["output"]["distance"] //= 2
    assert [fault.partition(":")[0] for fault in VERIFIER.faults_of(document)[1]] == ["part 1"] * 2


@pytest.mark.django_db
def test_what_options_of_which_one_is_true_cost_is_the_odds_of_two_of_them_and_no_sum() -> None:
    survey = ready_survey({"100": 60, "011": 40}, one_by_option())
    document = document_of(reading_of(published_release(survey)))
    assert VERIFIER.faults_of(document)[1] == []
    truth = document["parts"][0]["truth"]
    assert truth["local_epsilon"] == pytest.approx(math.log(4 * 2.5))
    for wrong in (math.log(4), 2 * math.log(4), 3 * math.log(4)):
        truth["local_epsilon"] = wrong
        assert [fault.partition(",")[0] for fault in VERIFIER.faults_of(document)[1]] == [
            f"part 1: local ε: said {wrong}"
        ]


@pytest.mark.django_db
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**6)], ids=["laplace", "gaussian"])
def test_a_model_is_at_the_maximum_of_its_likelihood_and_any_other_is_not(delta: Fraction) -> None:
    survey = joined_survey()
    about = {"questions": in_order(survey)[:2], "mechanism": Mechanism.JOINT_TABLE, "options": {"outcome": "1"}}
    release = published_release(survey, **about, epsilon=Fraction(1), delta=delta, randbelow=seeded(1))
    document = json.loads(json.dumps(document_of(reading_of(charged_releases().get(pk=release.pk)))))
    number, faults = VERIFIER.faults_of(document)
    assert (number > 20, faults) == (True, [])
    effect = document["parts"][0]["found"]["effects"][0]
    for name in ("estimate", "low", "high", "standard_error", "without_noise", "direct"):
        right = effect[name]
        effect[name] = right + 0.001
        assert VERIFIER.faults_of(document)[1] != [], name
        effect[name] = right


@pytest.mark.django_db
def test_a_refusal_is_charged_and_its_test_checked() -> None:
    for document in map(copy.deepcopy, documents_of_every_mechanism()):
        if document["mechanism"] not in {Mechanism.STABLE_MODE, Mechanism.STABLE_MEDIAN}:
            continue
        for part in document["parts"]:
            part["found"] = {"family": "refused", "says_nothing": True, "confidence_level": 0.95, "charged": True}
            part["output"] = dict.fromkeys(part["output"])
        assert VERIFIER.faults_of(document)[1] == []
        document["parts"][0]["noise"][0]["threshold"] -= 1
        assert VERIFIER.faults_of(document)[1] != []


def test_the_script_needs_the_standard_library_and_scipy_only() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    names = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {name.partition(".")[0] for name in names} <= {*sys.stdlib_module_names, "scipy"}


@pytest.mark.django_db
def test_the_script_by_itself_says_whether_a_published_document_is_as_it_says(
    client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = published_release(ready_survey({"0": 60, "1": 40}, yes_no()))
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert re.search(r'href="[^"]*verify_release[^"]*\.py" download', page)
    content = client.get(f"/r/{release.pk}.json").content
    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
    right.write_bytes(content)
    wrong.write_bytes(content.replace(b'"epsilon": "1/2"', b'"epsilon": "1/4"'))
    done = subprocess.run(
        [sys.executable, "-I", SCRIPT, right], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, "", 1)
    assert re.match(rf"{release.pk}: .*\b0 ", done.stdout)
    # Of a process by itself, wrong ones are among what is refused.
    assert VERIFIER.main([str(wrong)]) == 1
    assert capsys.readouterr().out.startswith(f"{release.pk}: refused: ")
