"""Whatever a template says goes through a catalog."""

from pathlib import Path

import pytest

from tests.i18n.extraction import ROOT
from tests.i18n.untranslated import untranslated

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


@pytest.mark.parametrize("path", TEMPLATES, ids=[str(path.relative_to(ROOT / "templates")) for path in TEMPLATES])
def test_a_template_says_nothing_untranslated(path: Path) -> None:
    assert untranslated(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("<p>\n  Join\n</p>", "1: Join"),
        ("{% if open %}\n<p>{{ n }} answers</p>{% endif %}", "2: answers"),
        ('<p>{% translate "Join" %} now</p>', "1: now"),
        ('<img alt="A code">', "1: A code"),
        ('<button aria-label="Close {{ name }}"></button>', "1: Close"),
        ('<input type="submit" value="Send">', "1: Send"),
        ("<p>answer{{ n|pluralize }}</p>", "1: pluralize knows English only"),
        ('<p>{{ published|yesno:"Yes,No" }}</p>', "1: Yes,No"),
        ("<p><code>nonce</code>: a number</p>", "1: : a number"),
        ("<svg><text>Estimate</text></svg>", "1: Estimate"),
    ],
)
def test_a_planted_text_is_found(template: str, found: str) -> None:
    assert found in untranslated(template)


@pytest.mark.parametrize(
    "template",
    [
        '<p>{% translate "Join" %} · Deniable</p>',
        "{% blocktranslate trimmed %}<p>Join</p>{% endblocktranslate %}",
        "{# Why it is so. #}<p>ε = {{ epsilon }}%</p>",
        '<input type="hidden" name="published" value="yes"><input type="text" value="typed">',
        '<html dir="{{ rtl|yesno:"rtl,ltr" }}">',
        "{% block body_class %}narrow{% endblock %}<pre>curl -s {{ address }} | sha256sum</pre>",
    ],
)
def test_what_is_no_text_of_ours_is_left_alone(template: str) -> None:
    assert untranslated(template) == []
