"""In every interleaving of insert, resend, fold, close and seal what is acknowledged is stored once."""

import pytest

from tests.answering.storing_model import Faults, Protocol, Sent, wrongs

SAME: tuple[Sent, ...] = (("x", "a"), ("x", "a"))
ALTERED: tuple[Sent, ...] = (("x", "a"), ("x", "b"))
TWO: tuple[Sent, ...] = (("x", "a"), ("y", "a"))
WORKERS = ("fold", "fold", "close", "seal")


@pytest.mark.parametrize("one_card", [False, True])
@pytest.mark.parametrize("sends", [SAME, ALTERED, TWO])
def test_no_interleaving_loses_doubles_or_miscounts_an_answer(sends: tuple[Sent, ...], one_card: bool) -> None:
    violations, states = wrongs(Protocol(sends, WORKERS, one_card=one_card))
    assert violations == set()
    assert states > 1_000


@pytest.mark.parametrize(
    ("fault", "sends", "wrong"),
    [
        (Faults(look=True), SAME, "a response is stored twice"),
        (Faults(recheck=True), TWO, "a closed survey changes"),
        (Faults(drain=True), TWO, "a closed survey changes"),
        (Faults(trust=True), ALTERED, "what is acknowledged is not stored"),
        (Faults(apart=True), TWO, "a closed survey changes"),
        (Faults(spends_first=True), TWO, "an invitation is spent without its row, or twice"),
    ],
)
def test_each_part_of_the_protocol_is_needed(fault: Faults, sends: tuple[Sent, ...], wrong: str) -> None:
    """The planted faults: the protocol without one of its parts."""
    violations, _ = wrongs(Protocol(sends, WORKERS, one_card=fault.spends_first, faults=fault))
    assert wrong in violations
