"""Formatted texts as plain ones: forms may hold Markdown and a few tags of HTML, respondents' pages show neither."""

import re
from html import unescape

# Only what forms are written with: “<5” and “<your town>” are words.
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|blockquote|center|code|del|div|em|font|h[1-6]|hr|i|img|ins|label|mark|ol|pre|s|small|span|"
    r"strike|strong|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul)\b[^<>]{0,1000}>",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<(?:br\s*/?|/?p\b[^<>]{0,1000}|/li\s*)>", re.IGNORECASE)
_ITEM = re.compile(r"<li\b[^<>]{0,1000}>", re.IGNORECASE)
# Each runs to its end or to that of the text, so that none is looked for twice.
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|iframe|object|svg)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_ANCHOR = re.compile(
    r"<a\b[^<>]{0,500}\bhref=[\"']([^\"'<>]{1,500})[\"'][^<>]{0,500}>([^<>]{1,500})</a\s*>", re.IGNORECASE
)
_HEADING = re.compile(r"^ {0,3}#{1,6} +", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]]{1,500})\]\(([^()\s]{1,1000})\)")
# A star within a word, as in “Student*innen”, or between spaces, as in “2 * 3”, is a star.
_STARS = re.compile(r"(?<![^\W_])(?<![\\*])(\*{1,3})(?=[^\s*])([^*]{0,998}[^\s*\\])\1(?![^\W_])(?!\*)")
_UNDERSCORES = re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])([^_]{0,998}[^\s_\\])\1(?!\w)")
_ESCAPED = re.compile(r"\\([\\*_#\[\]()<>])")
_LINES = re.compile(r"[ \t]*\n[ \t]*")
_GAPS = re.compile(r"\n{3,}")


def plain(text: str) -> str:
    """Return a text without its marks of emphasis, headings and tags; addresses of links stand behind their words."""
    if not set(text) & set("<*_#[&\\"):
        return text
    for pattern, by in (
        (_HIDDEN, ""),
        (_BREAK, "\n"),
        (_ITEM, "\n- "),
        (_ANCHOR, r"\2 (\1)"),
        (_TAG, ""),
        (_HEADING, ""),
        (_LINK, r"\1 (\2)"),
        # Twice, as one mark may stand within another.
        *((_STARS, r"\2"), (_UNDERSCORES, r"\2")) * 2,
        (_ESCAPED, r"\1"),
    ):
        text = pattern.sub(by, text)
    return _GAPS.sub("\n\n", _LINES.sub("\n", unescape(text))).strip()
