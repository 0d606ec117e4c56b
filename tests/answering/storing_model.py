"""The protocol of storing, folding and closing as a small machine, all of whose interleavings are gone through.

Two clients send, with the same nonce or with two; folds, somebody who closes and somebody who seals work beside them.
What a transaction has written nobody else sees before its commit; each step reads what has been committed by then, as
each statement does on PostgreSQL. A key that another transaction is writing or deleting is waited for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

# A nonce and the reports that are sent with it.
Sent = tuple[str, str]


@dataclass(frozen=True)
class Faults:
    """Parts of the protocol that are left out."""

    look: bool = False  # the nonce is not looked for again once its key is had
    recheck: bool = False  # the state is not read again once the survey is held
    drain: bool = False  # whoever closes does not wait for those who have begun
    trust: bool = False  # an insert that wrote nothing is taken for one that wrote a row
    apart: bool = False  # a fold commits what it removes before what it keeps and counts
    spends_first: bool = False  # the invitation is spent in a transaction of its own, before the response


@dataclass(frozen=True)
class Machine:
    """Everything that decides what may come next; what is pending belongs to the client or worker named."""

    steps: tuple[str, ...]
    outcomes: tuple[str, ...]
    state: str = "open"
    rows: frozenset[Sent] = frozenset()
    pending: frozenset[tuple[int, Sent]] = frozenset()
    deleting: frozenset[tuple[int, Sent]] = frozenset()
    spent: frozenset[str] = frozenset()
    counted: tuple[Sent, ...] = ()
    holders: frozenset[int] = frozenset()
    folder: int | None = None  # who holds the survey against other folds
    cards: int = 0  # invitations that are spent
    spending: int | None = None
    closed_with: int | None = None

    @property
    def total(self) -> int:
        """All that was stored: what waits and what is counted."""
        return len(self.rows) + len(self.counted)


@dataclass(frozen=True)
class Protocol:
    """Who sends what, who works beside them, and what of the protocol is left out."""

    sends: tuple[Sent, ...]
    workers: tuple[str, ...] = ("fold", "close")
    one_card: bool = False
    faults: Faults = field(default_factory=Faults)

    def start(self) -> Machine:
        steps = ("check",) * len(self.sends) + self.workers
        return Machine(steps=steps, outcomes=("",) * len(self.sends))

    def following(self, now: Machine) -> Iterator[Machine]:
        """Yield what may come next: one step of one of them."""
        for who, step in enumerate(now.steps):
            of_a_client = who < len(self.sends)
            after = self._client(now, who, step) if of_a_client else self._worker(now, who, step)
            if after is not None:
                yield after

    def _client(self, now: Machine, who: int, step: str) -> Machine | None:  # noqa: PLR0911, PLR0912 - a machine
        sent = self.sends[who]
        nonce = sent[0]
        match step:
            case "check":
                first = "take a card" if self.faults.spends_first and self.one_card else "hold"
                return _at(now, who, first if now.state == "open" else "read rows")
            case "take a card":
                return _at(replace(now, cards=1), who, "hold") if now.cards == 0 else _at(now, who, "read rows")
            case "hold":
                held = replace(now, holders=now.holders | {who})
                return _at(held, who, "insert" if self.faults.recheck else "recheck")
            case "recheck":
                return _at(now, who, "insert") if now.state == "open" else _undone(now, who)
            case "insert":
                if any(row[0] == nonce for _, row in now.pending | now.deleting):
                    return None
                if any(row[0] == nonce for row in now.rows):
                    return _answered(_undone(now, who), who, "accepted") if self.faults.trust else _undone(now, who)
                written = replace(now, pending=now.pending | {(who, sent)})
                return _at(written, who, "spend" if self.faults.look else "look")
            case "look":
                return _undone(now, who) if nonce in now.spent else _at(now, who, "spend")
            case "spend":
                if not self.one_card or self.faults.spends_first:
                    return _at(now, who, "commit")
                if now.spending is not None:
                    return None
                return _undone(now, who) if now.cards else _at(replace(now, spending=who), who, "commit")
            case "commit":
                stored = replace(
                    now,
                    rows=now.rows | {sent},
                    pending=now.pending - {(who, sent)},
                    holders=now.holders - {who},
                    cards=now.cards + (now.spending == who),
                    spending=None if now.spending == who else now.spending,
                )
                return _answered(stored, who, "accepted")
            case "read rows":
                for row in now.rows:
                    if row[0] == nonce:
                        return _answered(now, who, "repeated" if row == sent else "altered")
                return _at(now, who, "read spent")
            case "read spent":
                return _answered(now, who, "kept" if nonce in now.spent else "refused")
        return None

    def _worker(self, now: Machine, who: int, step: str) -> Machine | None:  # noqa: PLR0911 - a machine
        match step:
            case "fold" if now.folder is None:
                return _at(replace(now, folder=who), who, "choose")
            case "choose":
                return _at(replace(now, deleting=frozenset((who, row) for row in now.rows)), who, "move")
            case "move":
                return self._moved(now, who)
            case "count late":
                rows = _of(now.deleting, who)
                moved = replace(now, deleting=frozenset(), spent=now.spent | {row[0] for row in rows}, folder=None)
                return _at(replace(moved, counted=_sorted(now.counted, rows)), who, "done")
            case "close" if now.folder is None:
                return _at(replace(now, state="paused"), who, "drain")
            case "drain" if now.folder is None and (self.faults.drain or not now.holders):
                # Held by nobody: so what follows, to the commit, is one step for everybody else.
                return _at(replace(now, state="closed", closed_with=now.total), who, "fold")
            case "seal" if now.state == "closed" and now.folder is None and not now.holders:
                sealed = replace(now, counted=_sorted(now.counted, now.rows), rows=frozenset(), spent=frozenset())
                return _at(replace(sealed, state="sealed"), who, "done")
        return None

    def _moved(self, now: Machine, who: int) -> Machine:
        rows = _of(now.deleting, who)
        if self.faults.apart:
            return _at(replace(now, rows=now.rows - rows), who, "count late")
        moved = replace(
            now,
            rows=now.rows - rows,
            deleting=frozenset(one for one in now.deleting if one[0] != who),
            spent=now.spent | {row[0] for row in rows},
            counted=_sorted(now.counted, rows),
            folder=None,
        )
        return _at(moved, who, "done")


def _of(rows: frozenset[tuple[int, Sent]], who: int) -> frozenset[Sent]:
    return frozenset(row for owner, row in rows if owner == who)


def _sorted(counted: tuple[Sent, ...], rows: frozenset[Sent]) -> tuple[Sent, ...]:
    return tuple(sorted([*counted, *rows]))


def _at(now: Machine, who: int, step: str) -> Machine:
    return replace(now, steps=(*now.steps[:who], step, *now.steps[who + 1 :]))


def _answered(now: Machine, who: int, outcome: str) -> Machine:
    outcomes = (*now.outcomes[:who], outcome, *now.outcomes[who + 1 :])
    return _at(replace(now, outcomes=outcomes), who, "done")


def _undone(now: Machine, who: int) -> Machine:
    """Roll back what this client has written, and let it look for what became of what it sent before."""
    pending = frozenset(one for one in now.pending if one[0] != who)
    return _at(replace(now, pending=pending, holders=now.holders - {who}), who, "read rows")


def wrongs(protocol: Protocol) -> tuple[set[str], int]:
    """Go through every interleaving; return what goes wrong in any, and how many states there are."""
    violations: set[str] = set()
    seen = {protocol.start()}
    ahead = list(seen)
    while ahead:
        now = ahead.pop()
        following = list(protocol.following(now))
        if not following:
            violations |= set(_wrong_at_the_end(protocol, now))
        for after in following:
            if now.closed_with is not None and after.total != now.closed_with:
                violations.add("a closed survey changes")
            if after not in seen:
                seen.add(after)
                ahead.append(after)
    return violations, len(seen)


def _wrong_at_the_end(protocol: Protocol, now: Machine) -> Iterator[str]:
    if any(step not in {"done", "seal"} for step in now.steps):
        yield "somebody waits for ever"
    stored = [*now.rows, *now.counted]
    for (nonce, reports), outcome in zip(protocol.sends, now.outcomes, strict=True):
        copies = [row for row in stored if row[0] == nonce]
        if len(copies) > 1:
            yield "a response is stored twice"
        if outcome in {"accepted", "repeated"} and (nonce, reports) not in copies:
            yield "what is acknowledged is not stored"
        if outcome in {"altered", "kept"} and not copies:
            yield "what is said to be kept is not"
    for nonce in {sent[0] for sent in protocol.sends}:
        outcomes = {outcome for (its, _), outcome in zip(protocol.sends, now.outcomes, strict=True) if its == nonce}
        if outcomes == {"refused"} and any(row[0] == nonce for row in stored):
            yield "what is refused is stored"
    if protocol.one_card and now.cards != len(stored):
        yield "an invitation is spent without its row, or twice"
