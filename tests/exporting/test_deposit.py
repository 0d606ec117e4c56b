"""The zip for a repository: the files that their addresses send, metadata that invent nobody, no trace of a clock."""

import io
import json
import re
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.http import StreamingHttpResponse
from django.urls import reverse

from surveys.common.metadata import TO_BE_ADDED, yaml_of
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, seal_survey
from surveys.exporting.files.deposit import deposit_file, zipped
from surveys.models import Group, Survey
from tests.exporting.reports import content_of, download, fill_randomly, table_of
from tests.exporting.running import numbers, run
from tests.exporting.test_literals import HOSTILE
from tests.factories import every_kind, fill, make_open, yes_no
from tests.pages import owner_of

pytestmark = pytest.mark.django_db

SENT = {
    "responses-{}.csv": "csv",
    "figures-{}.csv": "figures-csv",
    "codebook-{}.csv": "codebook-csv",
    "analysis-{}.R": "r",
    "analysis-{}.py": "python",
    "responses-{}.sps": "spss",
    "responses-{}.do": "stata",
}
_CFF = ("--builtin-schema", "vendor.citation-file-format")
ABOUT = ["README.txt", "CITATION.cff", "datacite.json"]


@pytest.fixture
def survey() -> Survey:
    survey = make_open(*every_kind(), title="Hours: \"more\" & #less, 'שלום' 🂡 {{ x }}")
    fill_randomly(survey, 60, group=Group.objects.create(survey=survey, slug="north", name="North"))
    fill_randomly(survey, 40, seed=2)
    return close_survey(survey=survey)


def _deposit(survey: Survey, query: str = "") -> dict[str, bytes]:
    with ZipFile(io.BytesIO(download(owner_of(survey), survey, "survey-export-deposit", query))) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_every_file_in_it_is_the_one_that_its_address_sends(survey: Survey) -> None:
    files, client = _deposit(survey, "?level=.99"), owner_of(survey)
    names = {name.format(survey.code): address for name, address in SENT.items()}
    assert set(files) == {*ABOUT, *names}
    for name, address in names.items():
        sent = download(client, survey, f"survey-export-{address}", "?level=.99")
        if address != "csv":
            assert files[name] == sent, name
            continue
        (head, rows), (other_head, others) = table_of(files[name]), table_of(sent)
        assert (head, sorted(rows)) == (other_head, sorted(others))
        # The order is drawn anew for every file: what one shows of it says nothing about another.
        assert rows != others


def test_nothing_but_the_order_of_rows_differs_between_two(survey: Survey) -> None:
    first, second = (download(owner_of(survey), survey, "survey-export-deposit") for _ in range(2))
    entries = []
    for content in (first, second):
        with ZipFile(io.BytesIO(content)) as archive:
            entries.append([(each.filename, each.date_time, each.file_size) for each in archive.infolist()])
            assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert entries[0] == entries[1]
    files = [_deposit(survey) for _ in range(2)]
    assert [name for name in files[0] if files[0][name] != files[1][name]] == [f"responses-{survey.code}.csv"]


def test_the_same_files_make_the_same_bytes() -> None:
    members = [deposit_file("a.txt", "", b"a" * 9), deposit_file("b.txt", "", b"")]
    assert b"".join(zipped(members)) == b"".join(zipped(members))


def test_it_is_written_while_it_is_sent(survey: Survey) -> None:
    response = owner_of(survey).get(reverse("survey-export-deposit", args=[survey.code]))
    assert isinstance(response, StreamingHttpResponse)
    assert len(list(response)) > len(SENT)
    assert content_of(owner_of(survey).head(reverse("survey-export-deposit", args=[survey.code]))) == b""


@pytest.mark.parametrize("state", ["open", "few", "sealed"])
def test_where_there_is_no_file_of_rows_there_is_none_for_a_repository(state: str) -> None:
    survey = make_open(*(yes_no(f"{number}?") for number in range(12)))
    fill(survey, {"1" * 12: 9} if state == "few" else {"1" * 12: 20, "0" * 12: 20})
    if state != "open":
        survey = close_survey(survey=survey)
    if state == "sealed":
        survey = seal_survey(survey=survey)
    client = owner_of(survey)
    deposit, reports = (client.get(reverse(f"survey-export-{name}", args=[survey.code])) for name in ("deposit", "csv"))
    assert deposit.status_code == reports.status_code
    if state != "sealed":
        assert (deposit.status_code, deposit.content) == (409, reports.content)


def test_the_readme_names_every_file_and_column_and_what_is_not_randomized(survey: Survey) -> None:
    files = _deposit(survey)
    readme = files["README.txt"].decode()
    assert readme.startswith(survey.title)
    assert [name for name in files if name != "README.txt" and f"\n{name}\n    " not in readme] == []
    for item in definition_of(survey).items:
        name = f"q{item.question_number}" + (f"_{item.key[-1]}" if item.key[-1].isalpha() else "")
        found = re.search(rf"\n{name}: (.+)\n    (.+)\n", readme)
        assert found
        assert found[1] == item.title
        assert found[2].startswith(f"design {item.design.name}; " if item.protects else "unprotected")
    assert definition_of(survey).version in readme
    assert "unprotected questions below" in readme
    protected = close_survey(survey=_with(yes_no()))
    assert "unprotected" not in _deposit(protected)["README.txt"].decode()


def _with(*questions: object) -> Survey:
    survey = make_open(*questions)  # type: ignore[arg-type]
    fill_randomly(survey, 30)
    return survey


def test_the_metadata_have_what_is_required_and_make_up_nobody(survey: Survey, tmp_path: Path) -> None:
    files = _deposit(survey)
    citation = pytest.importorskip("yaml").safe_load(files["CITATION.cff"])
    (tmp_path / "CITATION.cff").write_bytes(files["CITATION.cff"])
    run([sys.executable, "-m", "check_jsonschema", *_CFF, str(tmp_path / "CITATION.cff")])
    assert (citation["type"], citation["title"], citation["authors"]) == (
        "dataset",
        survey.title,
        [{"name": TO_BE_ADDED}],
    )
    metadata = json.loads(files["datacite.json"])
    # What DataCite's schema 4.6 requires, and a DOI only a repository gives.
    assert metadata.keys() >= {"creators", "titles", "publisher", "publicationYear", "types", "schemaVersion"}
    assert metadata["schemaVersion"] == "http://datacite.org/schema/kernel-4"
    assert metadata["types"]["resourceTypeGeneral"] == "Dataset"
    assert metadata["titles"][0]["title"] == survey.title
    assert metadata["creators"] == [metadata["publisher"]] == [{"name": TO_BE_ADDED}]
    assert not {"doi", "prefix", "rightsList"} & metadata.keys()
    owner = survey.owner
    everything = b"".join(files.values()).decode()
    assert owner.username not in everything
    assert not owner.email or owner.email not in everything


def test_the_program_in_it_finds_its_figures_beside_it(
    survey: Survey, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("deposit")
    for name, content in _deposit(survey).items():
        (folder / name).write_bytes(content)
    out = folder / "results.csv"
    run(
        [
            sys.executable,
            str(folder / f"analysis-{survey.code}.py"),
            str(folder / f"figures-{survey.code}.csv"),
            str(out),
        ]
    )
    assert numbers(out)["q1.n"] > 0


@pytest.mark.parametrize("text", [*HOSTILE, "yes", "1.0", "- x", "a: b", "# c", "\x7f\x85", "null", "'"])
def test_yaml_holds_every_text_as_it_is(text: str) -> None:
    data = {"text": text, "many": [text, {"a": text, "b": ["x"]}], "number": 1e-06, "more": 0.5, "whole": 3}
    assert pytest.importorskip("yaml").safe_load(yaml_of(data)) == data
