"""Reads what a SQLite file and its journal hold besides what SQL shows: every commit, and every byte."""

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

_WAL_HEADER, _FRAME_HEADER = 32, 24


def commits_of(database: Path, scratch: Path) -> Iterator[sqlite3.Connection]:
    """Yield the database as it was after each commit that its journal still holds, oldest first."""
    pages = bytearray(database.read_bytes())
    journal = Path(f"{database}-wal").read_bytes() if Path(f"{database}-wal").exists() else b""
    if len(journal) < _WAL_HEADER:
        return
    (size,) = struct.unpack(">I", journal[8:12])
    salt = journal[16:24]
    for start in range(_WAL_HEADER, len(journal) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        header = journal[start : start + _FRAME_HEADER]
        if header[8:16] != salt:
            return  # left over from an earlier round of the journal
        page, pages_after_commit = struct.unpack(">II", header[:8])
        pages.extend(bytes(max(0, page * size - len(pages))))
        pages[(page - 1) * size : page * size] = journal[start + _FRAME_HEADER : start + _FRAME_HEADER + size]
        if pages_after_commit:
            image = bytearray(pages)
            image[18:20] = b"\1\1"  # no journal any more
            scratch.write_bytes(image)
            with closing(sqlite3.connect(f"file:{scratch}?mode=ro&immutable=1", uri=True)) as connection:
                yield connection


def offsets(files: list[Path], needle: bytes) -> list[int]:
    """Return every place of a text in the files, laid end to end."""
    data = b"".join(path.read_bytes() for path in files if path.exists())
    offsets_so_far, place = [], data.find(needle)
    while place >= 0:
        offsets_so_far.append(place)
        place = data.find(needle, place + 1)
    return offsets_so_far
