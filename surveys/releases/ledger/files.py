"""A budget's ledger as files: every line, exactly; docs/formats.md documents every name in them.

ε and δ are decimals without rounding. The tighter totals, which are no charges, are rounded up to nine digits.
"""

import json
from datetime import UTC
from typing import Any

from surveys.common.spreadsheets import quoted_cell
from surveys.models import LedgerEntry
from surveys.numbers.words import round_up
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import plain_decimal
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.ledger.selectors import Ledger, Total, TruthLoss

SCHEMA = "deniable-ledger/1"
_DIGITS = 9
_NAMES = (
    "number",
    "on",
    "by",
    "kind",
    "epsilon",
    "delta",
    "total_epsilon",
    "spent_epsilon",
    "total_delta",
    "spent_delta",
    "release",
    "mechanism",
    "reason",
)
# What somebody wrote, or chance, which may begin with a minus sign.
_TEXTS = ("by", "release", "reason")
# Without it Excel takes UTF-8 for something else.
_MARK = "\ufeff"


def ledger_csv(ledger: Ledger) -> bytes:
    """Return the lines as UTF-8 with commas and CRLF (RFC 4180), no cell of which a spreadsheet runs."""
    rows = [[_cell(name, value) for name, value in _line(line).items()] for line in ledger.lines]
    return (_MARK + "".join(",".join(row) + "\r\n" for row in [_NAMES, *rows])).encode()


def ledger_json(ledger: Ledger) -> bytes:
    """Return the lines, with what they come to in all."""
    document = {
        "schema": SCHEMA,
        "survey": ledger.definition.title,
        "code": ledger.definition.code,
        "content_hash": ledger.definition.version,
        "total": _loss(ledger.total),
        "spent": _loss(ledger.spent),
        "remaining": _loss(ledger.remaining),
        "rho": _rho(ledger),
        "composed": [_total(total) for total in ledger.totals],
        "truth": [_truth(question, truth) for question, truth in (*ledger.truths, (None, ledger.all_truths))],
        "groups": [
            {
                "responses": size,
                "epsilon": plain_decimal(loss.epsilon),
                "delta": round_up(float(loss.delta), _DIGITS),
            }
            for size, loss in ledger.groups
        ],
        "lines": [_line(line) for line in ledger.lines],
    }
    return (json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _rho(ledger: Ledger) -> dict[str, Any] | None:
    """Return the budget in ρ, and what it makes certain however releases are chosen."""
    preset, certain = ledger.preset, ledger.certain
    if preset is None or certain is None:
        return None
    return {
        "total": plain_decimal(preset.total_rho),
        "spent": plain_decimal(preset.spent_rho),
        "on": preset.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "by": preset.created_by_name,
        "reason": preset.reason,
        "epsilon": round_up(float(certain.epsilon), _DIGITS),
        "delta": round_up(float(certain.delta), _DIGITS),
    }


def _line(line: LedgerEntry) -> dict[str, Any]:
    release = line.about
    values = (
        line.number,
        line.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        line.created_by_name,
        line.kind,
        plain_decimal(line.epsilon),
        plain_decimal(line.delta),
        plain_decimal(line.total_epsilon),
        plain_decimal(line.spent_epsilon),
        plain_decimal(line.total_delta),
        plain_decimal(line.spent_delta),
        release.pk if release else None,
        release.mechanism if release else None,
        line.reason,
    )
    return dict(zip(_NAMES, values, strict=True))


def _cell(name: str, value: str | int | None) -> str:
    """Return a cell; amounts, of which a change may be negative, stay numbers."""
    if value is None:
        return ""
    return quoted_cell(str(value)) if name in _TEXTS else str(value)


def _loss(loss: PrivacyLoss) -> dict[str, str]:
    return {"epsilon": plain_decimal(loss.epsilon), "delta": plain_decimal(loss.delta)}


def _total(total: Total) -> dict[str, Any]:
    return {
        "by": str(total.by),
        "epsilon": round_up(float(total.loss.epsilon), _DIGITS),
        "delta": plain_decimal(total.loss.delta),
        "delta_beyond_charges": plain_decimal(total.slack),
    }


def _truth(question: AskedQuestion | None, truth: TruthLoss) -> dict[str, Any]:
    return {
        "question": question.number if question else None,
        # JSON has no infinity: null stands for a report that can prove an answer.
        "epsilon_of_the_reports": None if truth.report_proves else round_up(truth.local_epsilon, _DIGITS),
        "epsilon_of_the_releases": plain_decimal(truth.central.epsilon),
        "epsilon_for_the_truth": round_up(float(truth.epsilon), _DIGITS),
        "delta_for_the_truth": round_up(float(truth.delta), _DIGITS),
    }
