"""Style sheets are stored as they are written, but for the comments; and what is stored is told from what is new."""

import shutil
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.management import call_command
from django.test import override_settings
from pytest_django import Settings

from surveys.static_storage import HashedStaticFiles

OURS = Path(settings.BASE_DIR) / "static"
FONT = "fonts/bricolage.woff2"


def _stored(source: Path, target: Path, *names: str) -> dict[str, str]:
    """Store files of one directory in another, and return the text of the style sheets among them."""
    storage = HashedStaticFiles(location=target)
    written = StaticFilesStorage(location=source)
    with override_settings(STATIC_ROOT=target):
        for name in names:
            with written.open(name) as file:
                storage.save(name, file)
        assert all(done is True for *_, done in storage.post_process({name: (written, name) for name in names}))
    sheets = [name for name in names if name.endswith(".css")]
    return {name: (target / storage.stored_name(name)).read_text(encoding="utf-8") for name in sheets}


def test_comments_go_and_licences_stay(tmp_path: Path) -> None:
    sheet = '/* why\nso */\na::before { content: "*/ /"; }\n/*! MIT */\nb {/**/ color: red; /* here */ margin: 0; }\n'
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.css").write_text(sheet, encoding="utf-8")
    stored = _stored(tmp_path / "source", tmp_path / "target", "a.css")["a.css"]
    assert stored == 'a::before { content: "*/ /"; }\n/*! MIT */\nb {color: red; margin: 0; }\n'


def test_of_our_style_sheets_nothing_but_comments_goes(tmp_path: Path) -> None:
    names = [f"css/{path.name}" for path in (OURS / "css").glob("*.css")]
    stored = _stored(OURS, tmp_path, FONT, *names)
    assert sorted(stored) == sorted(names)
    for name, text in stored.items():
        written = (OURS / name).read_text(encoding="utf-8")
        for comment in [part.partition("*/")[0] for part in written.split("/*")[1:]]:
            written = written.replace(f"/*{comment}*/", "")
        hashed = text.partition("../fonts/")[2].partition('"')[0]
        written = written.replace("../fonts/bricolage.woff2", f"../fonts/{hashed}")
        assert text.split() == written.split(), name
    assert "bricolage.woff2" not in stored["css/deniable.css"]


def test_a_module_that_is_loaded_when_it_is_needed_has_its_hash_too(tmp_path: Path) -> None:
    names = [f"js/{name}.js" for name in ("respond", "randomizer", "credit", "blind", "qr")]
    _stored(OURS, tmp_path, *names)
    stored = {path.name.split(".")[0]: path for path in (tmp_path / "js").glob("*.????????????.js")}
    for importing, imported in (("respond", "credit"), ("credit", "qr")):
        assert f'import("./{stored[imported].name}")' in stored[importing].read_text(encoding="utf-8")


def test_a_manifest_is_up_to_date_until_a_source_changes(tmp_path: Path, settings: Settings) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    shutil.copytree(OURS, source)
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [source], target
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "surveys.static_storage.HashedStaticFiles"}}
    with pytest.MonkeyPatch.context() as patch:
        # That takes seconds, and the manifest does not name what it makes.
        patch.setattr(HashedStaticFiles, "compress_files", lambda *_: ())
        call_command("collectstatic", interactive=False, verbosity=0)

    def is_up_to_date() -> bool:
        return bool(HashedStaticFiles().current_files())

    assert is_up_to_date()
    # Of a module that another one imports, which is stored under the name of its own bytes too.
    for name in ("css/deniable.css", "js/randomizer.js", FONT):
        written = (source / name).read_bytes()
        (source / name).write_bytes(written + b"\n")
        assert not is_up_to_date(), name
        (source / name).write_bytes(written)
        assert is_up_to_date(), name
    (source / "js" / "another.js").write_text("")
    assert not is_up_to_date()
    (source / "js" / "another.js").unlink()
    manifest = target / "staticfiles.json"
    manifest.write_bytes(manifest.read_bytes()[:100])
    assert not is_up_to_date()
