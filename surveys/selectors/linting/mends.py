"""What mends a finding by itself: a button types it into the question's fields."""

from surveys.models.designs import USUAL_FOR_MANY, Technique
from surveys.models.kinds import LeaveOut

Mend = tuple[tuple[str, str], ...]


def mend_of(rule: str, design: Technique | None) -> Mend:
    """Return what to type, field by field, into a question with this design; () where nothing mends it."""
    if rule == "infinite_epsilon" and design and design.without_proof:
        return (("design", str(design.without_proof)),)
    if rule == "seen_to_leave_out":
        return (("design", str(USUAL_FOR_MANY.name)), ("leave_out", str(LeaveOut.PROTECTED)), ("chance", ""))
    return ()
