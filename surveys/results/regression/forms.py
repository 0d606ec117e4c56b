"""What to regress on what, from the query string."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.models.asked_question import Item
from surveys.numbers.words import spans
from surveys.results.forms import ItemChoice, chosen_item, item_choices
from surveys.results.regression.figures.answers import MOST_PREDICTORS, can_be_regressed
from surveys.results.regression.figures.arms import ArmsOutcome
from surveys.results.regression.figures.terms import STANDARD_ERRORS

_FEWEST_FIELDS = 2


@dataclass(frozen=True, slots=True)
class RegressionQuery:
    """The answer that is regressed, what on, and by which standard errors."""

    items: tuple[ItemChoice, ...]
    arms: tuple[ItemChoice, ...]  # what two arms tell together, which can be predicted only
    outcome: Item | ArmsOutcome
    option: int
    predictors: tuple[Item, ...]
    groups: bool
    standard_error: str
    excluded: tuple[Item, ...]  # numbers for their mean
    notices: tuple[str, ...]

    @property
    def options(self) -> list[tuple[int, str]]:
        """The answers to choose from; what two arms tell together is one."""
        return list(enumerate(self.outcome.labels)) if isinstance(self.outcome, Item) else []

    @property
    def fields(self) -> tuple[str, ...]:
        """The keys in the fields for predictors: those chosen and an empty one more, as long as there is room."""
        keys = [item.key for item in self.predictors]
        size = min(MOST_PREDICTORS, max(_FEWEST_FIELDS, len(keys) + 1))
        return tuple(keys + [""] * (size - len(keys)))


def parse_regression(
    query: QueryDict, items: Sequence[Item], of_arms: Sequence[ArmsOutcome], *, has_groups: bool
) -> RegressionQuery | None:
    """Read the regression's fields; what is unknown is left out with a notice. None: there is nothing to regress."""
    usable = [item for item in items if can_be_regressed(item)]
    if not usable:
        return None
    notices: list[str] = []
    of_both = next((each for each in of_arms if each.key == query.get("outcome")), None)
    outcome = of_both or _outcome(query, items, usable, notices)
    kind = query.get("se", STANDARD_ERRORS[0])
    if kind not in STANDARD_ERRORS:
        notices.append(
            _("There is no standard error “%(kind)s”. That by the observed information is shown.") % {"kind": kind[:40]}
        )
        kind = STANDARD_ERRORS[0]
    # A box that is not ticked is not sent: whoever comes without a form has not unticked it.
    groups = query.get("groups", "" if "outcome" in query else "1") == "1"
    if groups and not has_groups and "groups" in query:
        notices.append(_("This survey has no groups."))
    return RegressionQuery(
        items=item_choices(usable),
        arms=tuple(ItemChoice(each.key, f"{spans(each.numbers)}. {each.title}") for each in of_arms),
        outcome=outcome,
        option=_option(query, outcome, notices) if isinstance(outcome, Item) else 1,
        predictors=_predictors(query, items, outcome, notices),
        groups=groups and has_groups,
        standard_error=kind,
        excluded=tuple(item for item in items if not can_be_regressed(item)),
        notices=tuple(notices),
    )


def _outcome(query: QueryDict, items: Sequence[Item], usable: list[Item], notices: list[str]) -> Item:
    asked = next((item for item in items if item.key == query.get("outcome")), None)
    if asked is not None and not can_be_regressed(asked):
        notices.append(
            _("Question %(asked)s has a mean and no true answers to regress. Question %(shown)s is shown.")
            % {"asked": asked.key, "shown": usable[0].key}
        )
        return usable[0]
    return chosen_item(query, "outcome", usable, usable[0], notices)


def _option(query: QueryDict, outcome: Item, notices: list[str]) -> int:
    default = 1 if outcome.traits.yes_or_no else 0
    wanted = query.get("option", str(default))
    # Another question was chosen beside an answer of the one before: that answer is not asked for.
    if query.get("of", outcome.key) != outcome.key:
        return default
    if wanted in map(str, range(len(outcome.labels))):
        return int(wanted)
    told = {"option": wanted[:40], "shown": outcome.labels[default]}
    notices.append(_("This question has no answer “%(option)s”. “%(shown)s” is shown.") % told)
    return default


def _predictors(
    query: QueryDict, items: Sequence[Item], outcome: Item | ArmsOutcome, notices: list[str]
) -> tuple[Item, ...]:
    by_key = {item.key: item for item in items}
    found: dict[str, Item] = {}
    for key in dict.fromkeys(filter(None, query.getlist("predictor"))):
        item = by_key.get(key)
        if item is None:
            notices.append(_("Predictor: this survey has no question “%(key)s”.") % {"key": key[:40]})
        elif not can_be_regressed(item):
            notices.append(
                _("Predictor: question %(key)s has a mean and no true answers, so it cannot predict.") % {"key": key}
            )
        elif isinstance(outcome, Item) and item.is_about(outcome):
            notices.append(_("Predictor: question %(key)s is what is predicted; it is left out.") % {"key": key})
        elif isinstance(outcome, ArmsOutcome) and (item.protects or item.question_number in outcome.numbers):
            notices.append(
                _(
                    "Predictor: what two arms tell together is predicted by other answers that are sent as they are, "
                    "and by groups; question %(key)s is left out."
                )
                % {"key": key}
            )
        elif len(found) == MOST_PREDICTORS:
            notices.append(
                _("Predictors: at most %(most)s are taken; the others are left out.") % {"most": MOST_PREDICTORS}
            )
            break
        else:
            found[key] = item
    return tuple(found.values())
