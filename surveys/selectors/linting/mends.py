"""What mends a finding by itself: a button types it into the question's fields."""

from collections.abc import Mapping

from surveys.models.kinds import DesignName, LeaveOut

Mend = tuple[tuple[str, str], ...]

MENDS: Mapping[str, Mend] = {
    # Both designs ask for the same fact with the same share.
    "infinite_epsilon": (("design", str(DesignName.CROSSWISE)),),
    "seen_to_leave_out": (("design", str(DesignName.K_ARY)), ("leave_out", str(LeaveOut.PROTECTED)), ("chance", "")),
}
