"""Numbers as people type them into the fields of the results pages."""

_LONGEST = 20
_LONGEST_WHOLE = 16  # figures of 10¹⁵
_SIGNS = frozenset("0123456789.,-+")


def number_of(text: str) -> float | None:
    """Return a number with a point or a comma, white space around it allowed; None for what is none."""
    text = text.strip().replace("−", "-")
    # Figures of other scripts, underscores, powers of ten and words for what is no number are numbers to Python.
    if len(text) > _LONGEST or not set(text) <= _SIGNS:
        return None
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def whole_number_of(text: str) -> int | None:
    """Return a whole number in figures alone: “1,000” is a thousand to some and one to others, so it is none."""
    text = text.strip()
    # Figures of other scripts are digits too, and a number of a thousand digits takes long to read.
    fits = text.isascii() and text.isdigit() and len(text) <= _LONGEST_WHOLE
    return int(text) if fits else None
