"""What reports are called."""

from collections.abc import Sequence

from surveys.privacy.designs import Design

NO_YES = ("No", "Yes")
OWN_REPORTS = {"crosswise": ("different", "the same"), "triangular": ("No to both", "Yes to at least one")}


def require_labels(design: Design, labels: Sequence[str]) -> None:
    """Refuse anything but one label for each true answer."""
    if len(labels) != design.k:
        raise ValueError(f"labels must be {design.k}, one for each true answer, got {len(labels)}")


def report_labels(design: Design, labels: Sequence[str] = NO_YES) -> tuple[str, ...]:
    """Return what each report is called.

    Parameters
    ----------
    design : Design
        The design in use.
    labels : sequence of str
        What the true answers are called, in the order of their codes.

    Raises
    ------
    ValueError
        If there is not one label for each true answer.
    """
    require_labels(design, labels)
    if design.name in OWN_REPORTS:
        return OWN_REPORTS[design.name]
    if design.name == "kuk":
        return tuple(f"{reds} red" for reds in range(design.m))
    if design.name == "unary":
        held = ([label for option, label in enumerate(labels) if code >> option & 1] for code in range(design.m))
        return tuple(" + ".join(options) or "nothing" for options in held)
    return tuple(labels) if design.m == design.k else tuple(f"report {report}" for report in range(design.m))
