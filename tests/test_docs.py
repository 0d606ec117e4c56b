"""What the documents point at is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_and_link_of_a_document_exists(document: Path) -> None:
    text = document.read_text()
    files = re.findall(r"`((?:surveys|tests|static|templates|docs)/[\w./-]*)`", text)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    missing = [file for file in files if not (ROOT / file).exists()]
    missing += [link for link in links if not (document.parent / link).exists()]
    assert not missing


def test_every_source_of_the_theory_stands_among_its_references() -> None:
    text, references = (ROOT / "docs" / "theory.md").read_text().split("## References")
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
