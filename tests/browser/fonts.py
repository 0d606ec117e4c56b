"""The fonts that pages are tested with: one family alone, so that no audit depends on what a machine has.

TESTS_FONT names another family, such as Noto or Liberation.
"""

import os
from pathlib import Path

_FONTS = Path("/usr/share/fonts")
# Of DejaVu the files that its smallest package has.
_FILES = {
    "DejaVu": tuple(f"DejaVu{face}{bold}.ttf" for face in ("Sans", "SansMono", "Serif") for bold in ("", "-Bold"))
}
_FILE = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{fonts}</dir>
  <cachedir>{cache}</cachedir>
  <selectfont>
    <acceptfont>{accepted}</acceptfont>
    <rejectfont><glob>*.*</glob></rejectfont>
  </selectfont>
{preferred}
</fontconfig>
"""
_PREFERRED = "  <alias><family>{generic}</family><prefer>{families}</prefer></alias>"
# What Chromium asks for where a page says system-ui is called "sans".
_FACES = {"sans": ("Sans",), "sans-serif": ("Sans",), "serif": ("Serif",), "monospace": ("Sans Mono", "Mono")}


def write_fontconfig(directory: Path) -> str:
    """Write what fontconfig reads into this directory and return the file's name."""
    family = os.environ.get("TESTS_FONT", "DejaVu")
    files = _FILES.get(family, (f"{family}*",))
    # Without any font Chromium ends at once, and says nothing of fonts.
    if not any(_FONTS.rglob(files[0])):
        raise FileNotFoundError(f"TESTS_FONT: no font {files[0]} below {_FONTS}")
    accepted = "".join(f"<glob>*/{file}</glob>" for file in files)
    preferred = [
        _PREFERRED.format(generic=generic, families="".join(f"<family>{family} {face}</family>" for face in faces))
        for generic, faces in _FACES.items()
    ]
    file = directory / "fonts.conf"
    file.write_text(_FILE.format(fonts=_FONTS, cache=directory, accepted=accepted, preferred="\n".join(preferred)))
    return str(file)
