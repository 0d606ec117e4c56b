"""What matters in a release cannot be changed without the script that computes it again refusing it, in one line."""

import copy
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from surveys.models import Mechanism
from surveys.releases.files import document_of
from surveys.releases.selectors.reading import reading_of
from tests.factories import PROTECTED, number_bands, number_mean, numbers_of, scale, several_of, yes_no
from tests.property_profile import examples
from tests.releases.setting import published_release, ready_survey
from tests.releases.test_verifier import SCRIPT, VERIFIER, documents_of_every_mechanism

pytestmark = pytest.mark.django_db

Place = tuple[str | int, ...]
Document = dict[str, Any]


@cache
def _of(mechanism: str) -> Document:
    """Return the smallest document of a mechanism."""
    documents = [document for document in documents_of_every_mechanism() if document["mechanism"] == mechanism]
    return min(documents, key=lambda document: len(json.dumps(document)))


def _places(value: object, at: Place = ()) -> Iterator[Place]:
    """Yield where anything stands in a document."""
    yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inside:
        yield from _places(one, (*at, name))


def _at(document: Any, place: Place) -> Any:  # noqa: ANN401 - whatever stands there
    for step in place:
        document = document[step]
    return document


def _changed(document: Document, place: Place, value: object) -> Document:
    changed = copy.deepcopy(document)
    if place:
        _at(changed, place[:-1])[place[-1]] = value
    return changed if place else value  # type: ignore[return-value]


# What stands in a release for itself: names, a day, and what no other number of the document leads to.
FREE_NAMES = {"$schema", "survey", "question", "content_hash", "released_on", "exact_figures", "release", "language"}
# What tells nothing of a result, or of which a document with another says as much: in which order parts and draws
# stand, which of other draws is published where not all are, by which design a matrix is called, the code of a group.
FREE_ORDER = {"parts", "others", "noise"}


def _matters(document: Document, place: Place, value: object) -> bool:  # noqa: PLR0911 - one a reason
    """Whether a reader would believe something else that follows from the rest of the document."""
    before, name = _at(document, place), place[-1] if place else ""
    if value == before:
        return False
    if (
        not place
        and isinstance(value, dict)
        and document.keys() - value.keys() <= {"exact_figures", "neighbours_share"}
    ):
        # As documents were before these two were written.
        return len(value) >= len(document)
    if isinstance(before, list) and isinstance(value, list) and name in FREE_ORDER:
        return len(before) != len(value)
    if type(before) is type(value) and name in {*FREE_NAMES, "mechanism", "name"}:
        # Other letters in a text that is nobody's name for a result: of a joint release the question is.
        return name == "question" and "beside" in document["parts"][0]
    if name == "published" or (name == "outcome" and isinstance(value, int)):
        return False
    if "all_releases_so_far" in place and name in {"epsilon", "delta"}:
        return not VERIFIER.exact(value) or Fraction(str(value)) < Fraction(document[str(name)])
    # A draw from which the same follows; and what only bounds are known of.
    return not (
        name in {"at_best", "distance", "n", "noisy_counts", "chosen_from", "threshold"} or "noisy_counts" in place
    )


def _others(value: object) -> list[object]:  # noqa: PLR0911 - one a type
    """Return what could stand in a place instead."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int | float):
        more = value + 1 if isinstance(value, int) else value * 1.01 + 0.01
        return [more, -value - 1, None, str(value), 10**14, 1e300]
    if isinstance(value, str):
        if re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value):
            other = Fraction(value) * 2 + 1
            return [
                str(other),
                f"-{other}",
                f"{other.numerator}0/{other.denominator}0",
                "1e999999999",
                "9" * 5_000,
                None,
            ]
        return [f"{value}x", f"{value}\x1b[8m", "", "\ud800", None, 1]
    if isinstance(value, list):
        return [[], value[:-1], [*value, *value[-1:]], value[::-1], [*value[1:], *value[:1]], None]
    if isinstance(value, dict):
        without = [{name: one for name, one in value.items() if name != gone} for gone in value]
        return [*without, {**value, "also": 1}, {}, None]
    return [1, "x", []]


def _refused(document: object) -> bool:
    """Whether the script refuses a document, as it would be in a file."""
    try:
        read = VERIFIER.document_in(json.dumps(document).encode())
    except VERIFIER.Refused:
        return True
    return bool(VERIFIER.faults_of(read, 1)[1])


@pytest.mark.parametrize("mechanism", Mechanism.values)
def test_the_smallest_document_of_a_mechanism_is_not_refused(mechanism: str) -> None:
    assert not _refused(_of(mechanism))


@examples(1_000)
@given(data=st.data())
def test_whatever_is_changed_that_matters_is_refused(data: st.DataObject) -> None:
    document = _of(data.draw(st.sampled_from(Mechanism.values)))
    place = data.draw(st.sampled_from(list(_places(document))))
    value = data.draw(st.sampled_from(_others(_at(document, place))))
    if _matters(document, place, value):
        assert _refused(_changed(document, place, value)), (document["mechanism"], place, value)


Change = Callable[[Document, Document], object]
"""What is done to a document and its first part."""


def _swap(values: list[Any]) -> None:
    values[0], values[-1] = values[-1], values[0]


def _swap_answers(_document: Document, part: Document) -> None:
    """Turn round what answers are called, in the question and wherever else they are called that."""
    for labels in (part["answers"], part["reports"]):
        _swap(labels)


def _relabel(_document: Document, part: Document) -> None:
    finding = part["found"]
    rows = finding.get("estimates") or finding.get("effects") or finding.get("up_to")
    name = next(name for name in ("chosen", "first_band", "outcome", "value", "charged") if rows or name in finding)
    if rows:
        rows[0]["answer"] = "Something else"
    elif isinstance(finding[name], list):
        _swap(finding[name])
    else:
        finding[name] = False if name == "charged" else "17" if name == "value" else "Something else"


def _halve(amounts: Document) -> None:
    amounts["epsilon"] = str(Fraction(amounts["epsilon"]) / 2)


# Each is refused whatever the mechanism is, and by a check whose twin below lets it pass.
MATTER: dict[str, Change] = {
    "relation": lambda document, _part: document.update(neighbouring_relation="ADD_OR_REMOVE_ONE"),
    "condition": lambda document, _part: document.update(neighbours_share=["groups_apart"]),
    "total below its own": lambda document, _part: document["all_releases_so_far"].update(epsilon="1/1000000"),
    "no parts": lambda document, _part: document["parts"].clear(),
    "epsilon": lambda document, _part: _halve(document),
    "epsilon of a part": lambda _document, part: _halve(part),
    "epsilon for the truth": lambda document, _part: document["truth"].update(epsilon=document["truth"]["epsilon"] / 2),
    "answers turned round": _swap_answers,
    "answers alone turned round": lambda _document, part: _swap(part["answers"]),
    "another label": _relabel,
    "counts": lambda _document, part: part["output"].popitem(),
    "levels": lambda _document, part: part["accuracy"].pop(),
    "accuracy": lambda _document, part: part["accuracy"][1].update(at_most=0.001),
    "unit": lambda _document, part: part["accuracy"][1].update(unit="points"),
    "norm": lambda _document, part: part.update(norm="L1" if part["norm"] == "ABSOLUTE" else "ABSOLUTE"),
    "sensitivity": lambda _document, part: part.update(sensitivity="1/7"),
    "says nothing": lambda _document, part: part["found"].update(says_nothing=not part["found"]["says_nothing"]),
    "coins": lambda _document, part: part["design"]["matrix"].reverse(),
    "draws": lambda _document, part: part["draws"].update(of=part["draws"]["of"] + 1),
    "noise left out": lambda _document, part: part["noise"].pop(),
    "an option more": lambda _document, part: part["options"].update(
        {"bound": "1/2"} if "bound" not in part["options"] else {"share": "1/2"}
    ),
}


def _with(mechanism: str, change: str) -> Document:
    document = copy.deepcopy(_of(mechanism))
    MATTER[change](document, document["parts"][0])
    return document


def _ordered_by_nothing(mechanism: str, change: str) -> bool:
    """Whether answers are only called as their author called them, so that their order follows from nothing."""
    part = _of(mechanism)["parts"][0]
    return change == "answers turned round" and part["kind"] == "one_of" and not part["items"]


@pytest.mark.parametrize("change", MATTER)
def test_a_change_that_matters_is_refused_in_a_document_of_every_mechanism(change: str) -> None:
    tried = [mechanism for mechanism in Mechanism.values if not _ordered_by_nothing(mechanism, change)]
    assert len(tried) > len(Mechanism) // 2
    assert [mechanism for mechanism in tried if not _refused(_with(mechanism, change))] == []


LEFT_OUT = {
    "check_asked": "answers alone turned round",
    "check_terms": "unit",
    "check_release": "total below its own",
    "check_truth": "epsilon for the truth",
    "check_draws": "draws",
}


@pytest.mark.parametrize("check", LEFT_OUT)
def test_a_script_without_one_of_its_checks_passes_what_that_check_is_for(
    check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: the changes above find a script that does not look."""
    monkeypatch.setattr(VERIFIER, check, lambda *_: iter(()))
    passed = [mechanism for mechanism in Mechanism.values if not _refused(_with(mechanism, LEFT_OUT[check]))]
    assert passed != []


@examples(300)
@given(content=st.binary(max_size=200))
def test_whatever_bytes_are_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(VERIFIER.Refused):
        VERIFIER.document_in(content)


@examples(300)
@given(data=st.data())
def test_bytes_of_a_release_that_are_put_elsewhere_end_in_a_verdict(data: st.DataObject) -> None:
    document_bytes = json.dumps(_of(data.draw(st.sampled_from(Mechanism.values)))).encode()
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(document_bytes))] * 2)))
    put = data.draw(
        st.sampled_from([b"", b"9" * 30, b"null", b"[[", b'"', b"\xff", b"1e9", document_bytes[start:end] * 2])
    )
    try:
        document = VERIFIER.document_in(document_bytes[:start] + put + document_bytes[end:])
    except VERIFIER.Refused:
        return
    VERIFIER.faults_of(document, 1)


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "no text": bytes(range(256)),
    "lists without an end": b"[" * 100_000,
    "objects without an end": b'{"a":' * 100_000,
    "half a character": b'"\\ud800"',
    "no number": b'{"epsilon": NaN}',
    "too large a number": b"1" + b"0" * 100_000,
    "too large an exponent": b"1e999999999",
    "an exact number with an exponent": b'"epsilon": "1/2"',
    "a name twice": b'{"schema": "deniable-release/1", "schema": "deniable-release/1"}',
    "too large": b" " * 10_000_001,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_release_is_refused_by_one_line_and_an_exit_code(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = HOSTILE[kind]
    if kind.startswith("an exact"):
        honest = json.dumps(_of(Mechanism.LAPLACE_HISTOGRAM)).encode()
        assert content not in honest
        content = honest.replace(b'"epsilon": "9/25"', b'"epsilon": "4e-1"')
    file = tmp_path / "release\x1b[8m.json"
    file.write_bytes(content)
    assert VERIFIER.main([str(file)]) == 1
    output = capsys.readouterr()
    assert (len(output.out.splitlines()), output.err) == (1, "")
    assert "refused: " in output.out
    assert "\x1b" not in output.out
    assert "\\x1b[8m" in output.out


def test_by_itself_the_script_writes_one_line_a_file_and_no_traceback(tmp_path: Path) -> None:
    files = {"right": json.dumps(_of(Mechanism.MEAN)), "wrong": json.dumps(_with(Mechanism.MEAN, "epsilon")), "no": "["}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    names = ["right", "wrong", "no", "missing"]
    done = subprocess.run(
        [sys.executable, "-I", SCRIPT, *names], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert ["refused" in line for line in done.stdout.splitlines()] == [False, True, True, True]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("parts", 0, "n"), 10**12),
        (("parts", 0, "noise", 0, "scale"), f"1/{'9' * 900}"),
        (("parts", 0, "noise", 0, "scale"), "9" * 900),
        (("parts", 0, "design", "matrix"), [["1/2"] * 40] * 40),
        (("parts", 0, "design", "matrix"), [["1", "0"]]),
        (("parts", 0, "epsilon"), "9" * 900),
    ],
)
def test_numbers_and_sizes_that_no_release_has_are_refused_before_anything_is_computed(
    place: Place, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*_: object) -> None:
        raise AssertionError("this takes long")

    for slow in ("upper_tail", "inverse_of") if "matrix" in place else ("upper_tail",):
        monkeypatch.setattr(VERIFIER, slow, computed)
    read = VERIFIER.document_in(json.dumps(_changed(_of(Mechanism.LAPLACE_HISTOGRAM), place, value)).encode())
    [fault] = VERIFIER.faults_of(read, 1)[1]
    assert "AssertionError" not in fault


def test_a_document_from_before_the_newest_fields_is_as_good() -> None:
    document = copy.deepcopy(_of(Mechanism.LAPLACE_HISTOGRAM))
    del document["neighbours_share"], document["exact_figures"]
    assert not _refused(document)


@pytest.mark.parametrize("language", dict(settings.RESPONDENTS_LANGUAGES))
def test_labels_and_units_are_read_in_every_language_that_releases_are_in(language: str) -> None:
    wide = {"edges": [[0, 1], [10_000, 1], [1_234_567, 1], [9_999_999, 1]], "unit": "m2 a year"}
    below = {"low": [-5, 2], "high": [1_000, 1], "step": [1, 2], "unit": "°C"}
    bare = {"edges": [[0, 1], [5, 2], [7, 1], [12, 1]], "unit": ""}
    survey = ready_survey(
        {"000000000": 60, "112111111": 40, "222212222": 10},
        number_bands(details=wide, **PROTECTED),
        number_bands("Hours?", details=bare),
        number_bands("And hours?", details=bare | {"unit": "hours"}),
        scale(points=11, **PROTECTED),
        number_mean(details=below, **PROTECTED),
        yes_no(**PROTECTED),
        several_of(**PROTECTED),
        language=language,
        epsilon=10,
    )
    questions = numbers_of(survey)
    for mechanism, asked in (
        (Mechanism.LAPLACE_HISTOGRAM, questions),
        (Mechanism.VARIANCE, questions[:4]),
        (Mechanism.MEAN, questions[:5]),
        (Mechanism.BEST_PRICE, questions[:3]),
        (Mechanism.SMOOTH_MEDIAN, questions[1:3]),
    ):
        release = published_release(survey, questions=asked, mechanism=mechanism, epsilon=Fraction(1, 2))
        document = json.loads(json.dumps(document_of(reading_of(release))))
        assert VERIFIER.document_in(json.dumps(document).encode()) == document
        assert VERIFIER.faults_of(document)[1] == [], mechanism
