"""One answer against all the others: a question with many answers read as one with two."""

from surveys.privacy.designs.design import Design, from_matrix
from surveys.privacy.designs.two_answer import by_yes
from surveys.privacy.rationals import whole_number


def against_rest(design: Design, option: int) -> Design:
    """Return the two-answer design of "is it this option?", from whether the report is this option or another.

    It exists where this option is reported equally often whichever of the others is the truth, as in k-ary designs
    with any spinner: then nothing need be known about the others. With two answers and option 1 it is the design
    itself.

    Parameters
    ----------
    design : Design
        As many reports as true answers, called alike.
    option : int
        Its code as a true answer and as a report.

    Raises
    ------
    ValueError
        If it is not, or the design has not as many reports as true answers.
    """
    option = whole_number(option, "option", 0, design.k - 1)
    if design.m != design.k:
        raise ValueError(f"design must have as many reports as truths, it has {design.m} and {design.k}")
    if option == 1 and design.k == 2:
        return design
    others = {entry for truth, entry in enumerate(design.matrix[option]) if truth != option}
    if len(others) > 1:
        raise ValueError(f"option {option} is reported more often under some of the other answers than under others")
    return from_matrix(by_yes(design.matrix[option][option], others.pop()))
