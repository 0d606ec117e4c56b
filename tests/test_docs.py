"""What the documents point at is there."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_and_link_of_a_document_exists(document: Path) -> None:
    text = document.read_text()
    files = re.findall(r"`((?:surveys|tests|static|templates|docs|deploy)/[\w./-]*)`", text)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    missing = [file for file in files if not (ROOT / file).exists()]
    missing += [link for link in links if not (document.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_is_wrapped_at_100_characters(document: Path) -> None:
    prose = re.sub(r"^ *```.*?^ *```$", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    # Code and addresses are not broken.
    lines = [
        re.sub(r"`[^`]+`|\([^) ]+\)", "", line) for line in prose.splitlines() if not line.lstrip().startswith("|")
    ]
    assert not [line for line in lines if len(line) > 100]


# Levels A and AA; 4.1.1 is no criterion any more.
WCAG_2_2 = set(
    re.findall(
        r"\d\.\d\.\d+",
        """
1.1.1 1.2.1 1.2.2 1.2.3 1.3.1 1.3.2 1.3.3 1.4.1 1.4.2 2.1.1 2.1.2 2.1.4 2.2.1 2.2.2 2.3.1 2.4.1 2.4.2 2.4.3 2.4.4
2.5.1 2.5.2 2.5.3 2.5.4 3.1.1 3.2.1 3.2.2 3.2.6 3.3.1 3.3.2 3.3.7 4.1.2
1.2.4 1.2.5 1.3.4 1.3.5 1.4.3 1.4.4 1.4.5 1.4.10 1.4.11 1.4.12 1.4.13 2.4.5 2.4.6 2.4.7 2.4.11 2.5.7 2.5.8 3.1.2
3.2.3 3.2.4 3.3.3 3.3.4 3.3.8 4.1.3
""",
    )
)


def test_the_accessibility_report_has_a_line_for_every_criterion() -> None:
    lines = re.findall(r"^\| ((?:\d\.\d\.\d+(?:, )?)+)[^|]*\| (.+?) \|", _text("accessibility.md"), re.MULTILINE)
    assert sorted(number for numbers, _ in lines for number in numbers.split(", ")) == sorted(WCAG_2_2)
    assert {said for _, said in lines} <= {"Supports", "Partially supports", "Does not support", "Not applicable"}


def _text(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_every_command_of_make_says_what_it_does() -> None:
    said = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (named,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert {word for line in said.splitlines() for word in line.split("  ")[0].split()[1:]} == {*named.split()} - {
        "help"
    }


def test_every_source_of_the_theory_stands_among_its_references() -> None:
    chapters = sorted((ROOT / "docs" / "theory").glob("*.md"))
    text = " ".join("\n".join(chapter.read_text() for chapter in chapters).split())
    references = _text("theory/references.md")
    cited = {
        (author.split(",")[0].split(" & ")[0].split(" et al.")[0].strip(), year)
        for group in re.findall(r"\[([^\]()]*\d{4}[^\]()]*)\]", text)
        for author, year in re.findall(r"([^;\d]+?) (\d{4})", group)
    }
    named = re.findall(r"([A-Z][\w’-]+(?: & [A-Z]\w+)?) \[(\d{4})\]", text)
    cited |= {(author.split(" & ")[0], year) for author, year in named}
    assert len(cited) > 30
    unknown = [
        (author, year) for author, year in sorted(cited) if not re.search(rf"- {author}.*\({year}\)", references)
    ]
    assert not unknown


def test_every_dependency_has_its_reason_in_decision_1_and_no_other_package_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [line for group in project["dependency-groups"].values() for line in group if isinstance(line, str)]
    parts = _text("decisions/0001-dependencies.md").split("## For development only")
    needed = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["server"]]
    for asked, reasons in zip((needed, groups), parts, strict=True):
        cells = re.findall(r"^\| (?!package )([^|]+) \| .+ \|$", reasons, re.MULTILINE)
        named = [name.split()[0] for cell in cells for name in cell.split(", ")]
        assert sorted(named) == sorted(re.split(r"[^\w-]", line)[0] for line in asked)
