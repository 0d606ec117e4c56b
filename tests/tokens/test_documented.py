"""The lines of docs/formats.md with which programs download, run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from tests.programs import CURL, RSCRIPT, Program
from tests.tokens.programs import closed_survey, read, token_of

pytestmark = [pytest.mark.usefixtures("transactional_db"), pytest.mark.uncounted]

_DOCUMENT = Path(settings.BASE_DIR) / "docs/formats.md"
# How each language's lines are run, and what shows what they have read.
_RUN = {
    "sh": (["sh", "-c"], ""),
    "python": ([sys.executable, "-c"], 'print(figures["figures"][0]["number"])'),
    "r": (["Rscript", "-e"], 'cat(figures$number[figures$figure == "responses"][1], "\\n")'),
}


def _lines(language: str) -> str:
    text = _DOCUMENT.read_text(encoding="utf-8").partition("## Download by program")[2].partition("\n## ")[0]
    (lines,) = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return str(lines)


def _where(program: Program) -> pytest.MarkDecorator:
    return pytest.mark.skipif(program.find() is None, reason=program.how_to_install)


@pytest.mark.parametrize(
    "language", [pytest.param("sh", marks=_where(CURL)), "python", pytest.param("r", marks=_where(RSCRIPT))]
)
def test_the_lines_of_the_document_download_the_figures(live_server: LiveServer, language: str) -> None:
    survey = closed_survey()
    token = token_of(survey)
    command, shown = _RUN[language]
    program = _lines(language).replace("https://survey.example.org", live_server.url).replace("CODE", survey.code)
    done = subprocess.run(
        [*command, program + shown],
        env={"PATH": os.environ["PATH"], "TOKEN": token},
        stdout=subprocess.PIPE,
        check=True,
        timeout=60,
    )
    # Forty people answered.
    assert done.stdout.strip() == (read(survey, token).content.strip() if language == "sh" else b"40")
