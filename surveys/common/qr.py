"""QR codes, drawn here, so that no other site learns of the links in them."""

import io

import segno
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

QUIET_ZONE = 4  # modules, as the standard asks
# Of a monospaced font, how wide a letter is, of its height.
_LETTER = 0.62
_LARGEST_LETTERS = 0.11  # of the drawing's width


def qr_drawing(link: str, *, printed: bool = False) -> SafeString:
    return mark_safe(_qr(link, printed=printed))  # noqa: S308 - paths of our own drawing, no text in it


def qr_file(link: str, *, millimetres: int = 0, lines: tuple[str, ...] = ()) -> str:
    """Return a link's QR code as an SVG file: for the screen or so wide on paper, with these lines below it.

    On paper it bears more damage: a quarter of it may be unreadable, on the screen, where it is sharp, one of seven.
    """
    printed = millimetres > 0
    modules = _modules(link, printed=printed)
    # The first line is the largest; each is as large as its letters fit beside each other.
    sizes = [min(_LARGEST_LETTERS / (1 + 0.5 * (i > 0)), 0.94 / (_LETTER * len(line))) for i, line in enumerate(lines)]
    height = modules * (1 + sum(1.3 * size for size in sizes))
    texts, below = SafeString(""), float(modules)
    for line, size in zip(lines, sizes, strict=True):
        below += 1.1 * size * modules
        texts += format_html(
            '<text x="{}" y="{}" font-size="{}" text-anchor="middle" font-weight="700" '
            'font-family="ui-monospace, Consolas, monospace">{}</text>',
            modules / 2,
            f"{below:.2f}",
            f"{size * modules:.2f}",
            line,
        )
        below += 0.2 * size * modules
    # In tenths of a millimetre nobody sees a difference.
    measures = f' width="{millimetres}mm" height="{millimetres * height / modules:.1f}mm"' if printed else ""
    return format_html(
        '<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}"{}>'
        '<path fill="#fff" d="M0 0h{}v{}H0z"/>{}{}</svg>\n',
        modules,
        f"{height:.2f}".removesuffix(".00"),
        mark_safe(measures),  # noqa: S308 - numbers of our own
        modules,
        f"{height:.2f}",
        mark_safe(_qr(link, printed=printed)),  # noqa: S308 - paths of our own drawing, no text in it
        texts,
    )


def qr_text(link: str, *, coloured: bool) -> str:
    """Return a link's QR code to be printed in a terminal: white on black, whatever the terminal's own colours are."""
    drawing = io.StringIO()
    _code(link, printed=False).terminal(drawing, border=QUIET_ZONE, compact=True)
    lines = drawing.getvalue().splitlines()
    return "\n".join(f"\x1b[97;40m{line}\x1b[0m" if coloured else line for line in lines)


def _modules(link: str, *, printed: bool) -> int:
    return int(_code(link, printed=printed).symbol_size(border=QUIET_ZONE)[0])


def _code(link: str, *, printed: bool) -> segno.QRCode:
    return segno.make(link, error="q" if printed else "m", micro=False)


def _qr(link: str, *, printed: bool = False) -> str:
    """Draw dark on white with its quiet zone, also for a dark page: scanners need it; the policy forbids styles."""
    drawing, code = io.BytesIO(), _code(link, printed=printed)
    modules = code.symbol_size(border=QUIET_ZONE)[0]
    code.save(
        drawing,
        kind="svg",
        xmldecl=False,
        svgns=False,
        nl=False,
        omitsize=True,
        light="#fff",
        border=QUIET_ZONE,
        svgclass=None,
        lineclass=None,
    )
    # A drawing inside another one takes its own place and size.
    return drawing.getvalue().decode("ascii").replace("<svg ", f'<svg width="{modules}" height="{modules}" ', 1)
