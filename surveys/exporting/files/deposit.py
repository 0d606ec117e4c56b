"""All that a repository needs of a survey in one zip file.

It is written while it is sent, so that no copy of the reports is left on a disk.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.template.loader import render_to_string

from surveys import __version__
from surveys.common.metadata import TO_BE_ADDED, yaml_of
from surveys.exporting.files.codebook import codebook_of
from surveys.questionnaire.definition import Definition

_KEYWORDS = ("randomized response", "local differential privacy", "survey")
_UNIX = 3


@dataclass(frozen=True, slots=True)
class DepositFile:
    """One file of the zip: its name, what it is, its length in bytes and its content piece by piece."""

    name: str
    text: str
    length: int
    chunks: Iterable[bytes]


def deposit_file(name: str, text: str, content: bytes) -> DepositFile:
    return DepositFile(name, text, len(content), (content,))


def zipped(members: Iterable[DepositFile]) -> Iterator[bytes]:
    """Yield a zip file piece by piece; it depends on nothing but names and contents, so on no clock either."""
    written = _Written()
    with ZipFile(written, "w") as archive:
        for member in members:
            entry = ZipInfo(member.name)
            entry.compress_type, entry.create_system, entry.external_attr = ZIP_DEFLATED, _UNIX, 0o644 << 16
            # From it follows whether the entry needs numbers for more than 4 GB.
            entry.file_size = member.length
            with archive.open(entry, "w") as file:
                for chunk in member.chunks:
                    file.write(chunk)
                    yield written.taken()
    yield written.taken()


class _Written:
    """What a zip file has written and nobody has taken yet."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes, /) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Nothing is left open."""

    def taken(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces.clear()
        return content


def metadata_of(definition: Definition, files: Sequence[DepositFile], *, n: int, year: int) -> list[DepositFile]:
    """Return a description for people, one to cite by, and one for DataCite; `files` are all others.

    No creator, publisher or DOI is made up: `TO_BE_ADDED` stands for the first two, and a repository gives the third.
    """
    others = (
        deposit_file("CITATION.cff", "How to cite the data.", yaml_of(_citation(definition)).encode()),
        deposit_file(
            "datacite.json",
            "Metadata by DataCite’s schema 4.6.",
            (json.dumps(_datacite(definition, n, year), ensure_ascii=False, indent=2) + "\n").encode(),
        ),
    )
    readme = render_to_string(
        "exporting/deposit/README.txt",
        {
            "definition": definition,
            "columns": codebook_of(definition),
            "files": [*files, *others],
            "n": n,
            "year": year,
            "to_be_added": TO_BE_ADDED,
            "program": __version__,
        },
    )
    return [deposit_file("README.txt", "", readme.encode()), *others]


def _citation(definition: Definition) -> dict[str, Any]:
    return {
        "cff-version": "1.2.0",
        "message": "Please cite these data as below.",
        "type": "dataset",
        "title": definition.title,
        "authors": [{"name": TO_BE_ADDED}],
        "keywords": _KEYWORDS,
    }


def _datacite(definition: Definition, n: int, year: int) -> dict[str, Any]:
    methods = (
        "Survey with randomized response: answers to protected questions were randomized before they were stored, and "
        "the true answers were never stored. The codebook has the probability of every report."
    )
    return {
        "types": {"resourceType": "Survey data", "resourceTypeGeneral": "Dataset"},
        "creators": [{"name": TO_BE_ADDED}],
        "titles": [{"title": definition.title, "lang": definition.language}],
        "publisher": {"name": TO_BE_ADDED},
        "publicationYear": str(year),
        "subjects": [{"subject": keyword, "lang": "en"} for keyword in _KEYWORDS],
        "language": definition.language,
        "alternateIdentifiers": [
            {"alternateIdentifier": definition.version, "alternateIdentifierType": "SHA-256 of the questionnaire"}
        ],
        "sizes": [f"{n} responses"],
        "formats": ["text/csv", "text/plain"],
        "descriptions": [{"description": methods, "descriptionType": "Methods", "lang": "en"}],
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }
