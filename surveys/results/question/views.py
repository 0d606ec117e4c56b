"""One question's results in full."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.answering.words.designs import exact
from surveys.charts import Table
from surveys.models.asked_question import Item
from surveys.models.definition import Definition
from surveys.numbers.words import (
    estimate_cell,
    p_value_or_below,
    percent,
    whole_number,
)
from surveys.results.adherence.charts import attention_chart
from surveys.results.adherence.figures import (
    anchored_finding,
    anchors_of,
    attention_points,
    mirrored_arms,
)
from surveys.results.adherence.forms import parse_anchor
from surveys.results.adherence.words import (
    ANCHOR_SOURCE,
    anchored_note,
    anchored_table,
    anchored_title,
    anchored_words,
)
from surveys.results.figures.arms import arm_sizes
from surveys.results.figures.overview import NamedPart, QuestionResult, group_names
from surveys.results.forms import parse_row, too_many_forged
from surveys.results.lists.figures import compare_lists
from surveys.results.lists.words import list_words
from surveys.results.question.charts import scatter_chart, scatter_title
from surveys.results.question.figures import (
    ArmComparison,
    compare_arms,
    fit_two_arms,
    models_told,
    question_detail,
    scatter_of,
)
from surveys.results.question.forms import parse_model
from surveys.results.question.words.arms import arm_words, uncompared_words
from surveys.results.question.words.differences import compared_caption
from surveys.results.question.words.two_arms import (
    computed_words,
    guess_words,
    model_finding,
    model_label,
    model_table,
    model_terms,
    unidentified_words,
)
from surveys.results.regression.figures.arms import ArmsOutcome, outcomes_of_arms
from surveys.results.views import TabRequest, results_tab, shown_question
from surveys.results.words.arms import arm_sizes_words
from surveys.results.words.finding import largest_share, main_mean
from surveys.results.words.means import mean_name, units_of
from surveys.results.words.shares import row_name

# Tabs that are about one item or more, by the name of their address, and the name of an item in their query strings.
_OF_ONE_PERSON, _REGRESSION = "survey-results-bayes", "survey-results-regression"
_ABOUT_AN_ITEM = (
    ("survey-results-relate", "a", gettext_lazy("Relate it to another question")),
    (_REGRESSION, "outcome", gettext_lazy("Explain it by groups and other questions")),
    (_OF_ONE_PERSON, "item", gettext_lazy("What one report says about one person")),
    ("survey-results-plan", "item", gettext_lazy("How many people the next survey needs")),
)


@results_tab("results/question/question.html")
def survey_results_question(asked: TabRequest, number: int) -> dict[str, Any]:
    """Show all that is known about one question; `number` is as people count, from 1."""
    questions = asked.definition.questions
    if not 1 <= number <= len(questions):
        raise Http404
    question, stored, options = questions[number - 1], asked.stored.questions[number - 1], asked.options
    detail = question_detail(question, asked.definition, asked.snapshot, options.wanted, group_names(asked.survey))
    result = detail.result
    shown = shown_question(result, options, asked.survey.language)
    context: dict[str, Any] = {
        "question": question,
        "questions": questions,
        "result": result,
        "shown": shown,
        "charts": list(shown.charts),
        "notices": too_many_forged(options, asked.snapshot.n),
        "modes": parts_table(
            _("By who added chance, of all answers to the survey"), _("Chance added by"), detail.n_by_mode
        ),
        "groups": parts_table(_("By group, of those who answered this question"), _("Group"), detail.n_by_group),
        "matrix": matrix_table(question.first),
    }
    compared = compare_arms(question, asked.stored, asked.snapshot, options.wanted)
    mirrored = None
    if compared:
        alike = [answer.result for answer in compared.answers]
        mirrored = mirrored_arms(question, alike, options.confidence_level)
        context |= {"arms": arms_table(compared, asked.definition), "arm_words": arm_words(compared, mirrored)}
    elif result.enough and (others := [other for other in asked.stored.variants_of(stored) if other != stored]):
        context["arm_words"] = [uncompared_words(others, asked.snapshot.minimum_n)]
    if sizes := arm_sizes(asked.definition, asked.snapshot):
        context["arm_sizes"] = arm_sizes_words(sizes)
    if lists := compare_lists(stored, asked.stored, asked.snapshot):
        context["lists"] = list_words(lists, options.confidence_level, asked.snapshot.minimum_n)
    _add_model(context, asked, compared)
    context["arms_outcome"] = _outcome_of_both(asked, number)
    if result.enough:
        context |= {
            "reports": reports_table(result),
            "misfit": misfit_table(result),
        }
        _add_scatter(context, asked)
        _add_adherence(context, asked, is_mirrored=mirrored is not None)
    return context


def _add_adherence(context: dict[str, Any], asked: TabRequest, *, is_mirrored: bool) -> None:
    """Add what an anchor says of those who tap at random; without one, and a second arm, what each share would mean."""
    result, options = context["result"], asked.options
    if not result.question.asked_with.reports_on_both:
        return
    chosen = parse_anchor(asked.request.GET, anchors_of(result.question, asked.definition))
    context["notices"] += chosen.notices
    context |= {"anchors": chosen, "anchor_source": ANCHOR_SOURCE}
    if chosen.anchor:
        found = anchored_finding(result.question.first, chosen.anchor, chosen.known, asked.snapshot, options.wanted)
        context |= {
            "anchored_title": anchored_title(found),
            "anchored_words": anchored_words(found),
            "anchored": anchored_table(found) if found.corrected else None,
            "anchored_note": anchored_note(found, options.confidence_level),
        }
    elif not is_mirrored and (points := attention_points(result, options.wanted)):
        name, label = f"q{result.question.number}-attention", result.question.first.labels[1]
        context["attention"] = attention_chart(points, name=name, label=label, level=options.confidence_level)
        context["charts"].append(context["attention"])


def _add_model(context: dict[str, Any], asked: TabRequest, compared: ArmComparison | None) -> None:
    """Add what two arms tell besides one share: the model asked for, and the others that there are."""
    question = context["question"]
    models = models_told(question, asked.definition, compared) if compared else ()
    found = [each for each in models if each.identified]
    chosen, notices = parse_model(asked.request.GET, models, found[0] if question.is_guess and found else None)
    result = fit_two_arms(chosen, compared, asked.options.wanted) if chosen and chosen.identified and compared else None
    context["notices"] += notices
    if found:
        context["models"] = [(each.value, model_label(each), each == chosen) for each in found]
    if chosen and not chosen.identified:
        context["model_lines"] = [unidentified_words(chosen)]
    if question.is_guess and context["result"].enough:
        context["guess"] = guess_words(result)
    if result:
        context |= {
            "model": model_table(result),
            "model_title": model_label(result.arms),
            "model_lines": model_finding(result, asked.options.confidence_level),
            "model_terms": model_terms(result),
            "model_computed": computed_words(result),
        }


def _add_scatter(context: dict[str, Any], asked: TabRequest) -> None:
    """Add the sampling distribution of the row asked for, and the links to what other tabs say of its item."""
    result, level = context["result"], asked.options.confidence_level
    rows = [(item, code) for item in result.items for code in item.shown_codes]
    names = [row_name(item.options[code], item) for item, code in rows]
    units = None
    if result.first.item.grid:
        _add_links(context, result.first.item, ["survey-results-plan"])
        return
    if result.first.mean and not rows:
        # A rounded number is high or low: the share of the high ones is where the mean lies in the range.
        rows, names, units = [(result.first, 1)], [mean_name(among_those_who_say=False)], units_of(result.first.mean)
    # The curve is of the share that the headline names, where it names one.
    named = None if main_mean(result.first) else largest_share(result)
    usual = next((place for place, (item, code) in enumerate(rows) if named and item.options[code] is named[0]), 0)
    place, notices = parse_row(asked.request.GET, names, usual)
    item, code = rows[place]
    context["rows"] = list(enumerate(names, 1))
    context["row"] = place + 1
    context["notices"] += notices
    # Where there is no chance, one report says all about one person, and nothing scatters that chance draws.
    protects = item.item.protects
    tabs = [name for name, _parameter, _label in _ABOUT_AN_ITEM if protects or name != _OF_ONE_PERSON]
    _add_links(context, item.item, tabs)
    if protects and (scatter := scatter_of(item, code, level)):
        name = f"q{result.question.number}-repeated"
        chart = scatter_chart(scatter, name=name, label=names[place], level=level, units=units)
        context |= {"scatter": chart, "scatter_title": scatter_title(scatter, units)}
        context["charts"].append(chart)


def _add_links(context: dict[str, Any], item: Item, tabs: Sequence[str]) -> None:
    about = [(name, parameter, label, item.key) for name, parameter, label in _ABOUT_AN_ITEM if name in tabs]
    if both := context["arms_outcome"]:
        about = [(*each[:3], both.key) if each[0] == _REGRESSION else each for each in about]
    context["links"] = about


def _outcome_of_both(asked: TabRequest, number: int) -> ArmsOutcome | None:
    """Return what this question and another one tell together, where alone it tells nothing, or what a guess is."""
    question = asked.stored.questions[number - 1]
    if not (question.traits.counts_options or question.is_guess):
        return None
    found = outcomes_of_arms(asked.stored, asked.snapshot)
    return next((outcome for outcome in found if number in outcome.numbers), None)


# The tables of a question's own page: its reports, its matrix.


def reports_table(result: QuestionResult) -> Table:
    """Return how often each report came, chance included."""
    first = result.first
    if first.item.grid and first.prevalence:
        counts = zip(first.item.report_labels, first.prevalence.counts.tolist(), strict=True)
        rows = tuple((label, whole_number(count), percent(count / first.n, 1)) for label, count in counts)
        return Table(
            _("What was tapped: people’s own numbers and innocuous ones")
            if first.item.tapped
            else _("What was reported: numbers that chance made"),
            (_("Report"), _("Reports"), _("Share of the reports")),
            rows,
        )
    return Table(
        _("What was reported, with chance added"),
        (_("Report"), _("Reports"), _("Share of the reports")),
        tuple(
            (
                f"{item.item.option} – {option.report}" if item.item.option else option.report,
                whole_number(option.count),
                percent(option.observed, 1),
            )
            for item in result.items
            for option in item.options
        ),
    )


def parts_table(caption: str, heading: str, parts: tuple[NamedPart, ...]) -> Table:
    """Return the numbers of parts of the responses."""
    return Table(
        caption,
        (heading, _("Answers")),
        tuple((part.name, whole_number(part.n)) for part in parts),
    )


def arms_table(compared: ArmComparison, definition: Definition) -> Table:
    """Return what each way of asking says, and of which arms it is."""
    return Table(
        compared_caption(compared),
        (_("Question"), _("Arms"), _("How"), _("Answers"), _("Estimate, of 100")),
        tuple(
            (
                f"{answer.result.question.number}. {answer.result.question.text}",
                definition.arm_names(answer.result.question),
                str(answer.result.question.asked_with.label),
                _answered(answer.result),
                _odd_or(
                    answer.result, estimate_cell(percent(answer.share.estimate), answer.share.low, answer.share.high)
                ),
            )
            for answer in compared.answers
        ),
    )


def _answered(result: QuestionResult) -> str:
    n = whole_number(result.n)
    if not result.missing:
        return n
    return _("%(n)s, %(missing)s left it out") % {"n": n, "missing": whole_number(result.missing)}


def _odd_or(result: QuestionResult, words: str) -> str:
    return _("none to trust") if result.odd else words


def matrix_table(item: Item) -> Table:
    """Return the design matrix: a column a true answer, a row a report."""
    return Table(
        _("The probability of each report, by true answer"),
        (_("Report"), *(_("if “%(label)s”") % {"label": label} for label in item.labels)),
        tuple(
            (label, *(exact(entry) for entry in row))
            for label, row in zip(item.report_labels, item.design.matrix, strict=True)
        ),
    )


def misfit_table(result: QuestionResult) -> Table:
    """Return the p-value of every item."""
    return Table(
        _("Whether the procedure was followed"),
        (_("Item"), _("p-value")),
        tuple((item.item.option or _("All reports"), p_value_or_below(item.misfit)) for item in result.items),
    )
