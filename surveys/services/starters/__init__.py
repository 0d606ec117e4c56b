"""Surveys to begin with, each with the study it comes from and a design that suits it."""

from surveys.services.starters.cards import CARD_DECK
from surveys.services.starters.life import (
    BULLYING,
    DOPING,
    SUBSTANCE_USE,
    TAX_HONESTY,
    WORKPLACE_HARASSMENT,
)
from surveys.services.starters.starter import Starter
from surveys.services.starters.starting import start_from
from surveys.services.starters.study import AI_ASSIGNMENTS, EXAM_CHEATING, PLAGIARISM

STARTERS = (
    EXAM_CHEATING,
    AI_ASSIGNMENTS,
    PLAGIARISM,
    CARD_DECK,
    WORKPLACE_HARASSMENT,
    BULLYING,
    SUBSTANCE_USE,
    DOPING,
    TAX_HONESTY,
)

__all__ = ["STARTERS", "Starter", "start_from"]
