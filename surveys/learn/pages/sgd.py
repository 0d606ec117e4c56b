"""Gradient descent with noise on a network of two layers: clipping, batches, and what an accountant adds up."""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Chart, Curve, CurveChart, HeatCell, HeatTable, Mark, Table, Tick
from surveys.learn.forms import Pick, counted
from surveys.learn.learners.network import TwoLayerLoss
from surveys.learn.learners.stochastic import StochasticGradient
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, nats, people_of_100, roughly_of_100, whole_number

Floats = npt.NDArray[np.float64]
NETWORK, PEOPLE, STEPS, DELTA = TwoLayerLoss(hidden=4), 500, 100, 1e-5
_RUNS, _LENGTH, _SHOWN = 4, 5.0, 5
_RIGHT = 0.95
_LEVELS = 4
_GUESSING = float(np.log(2))

BY_LOSSES: Mapping[str, Mapping[str, float]] = {
    "0.05": {"2": 1.0973, "4": 0.4619, "8": 0.2094, "16": 0.0968},
    "0.2": {"2": 5.0232, "4": 2.1021, "8": 0.9474, "16": 0.4388},
    "1": {"2": 33.1038, "4": 13.2068, "8": 5.6796, "16": 2.56},
}
"""ε by the privacy loss itself, for each batch and noise, rounded up: seconds of work, which a slow test does again."""


class Sgd(LabPage):
    """A network learns when two answers agree, from noisy steps."""

    place = 25
    chapter = Chapter.LEARNING
    slug = "sgd"
    title = gettext_lazy("Can a neural network learn without remembering anyone?")
    source = "Abadi et al. 2016; Mironov, Talwar & Zhang 2019; Doroshenko et al. 2022"
    controls = {
        "noise": Pick(
            counted(2, 4, 8, 16), initial="4", label=gettext_lazy("Noise: σ as a multiple of the maximum length")
        ),
        "batch": Pick(
            {"0.05": gettext_lazy("5 of 100"), "0.2": gettext_lazy("20 of 100"), "1": gettext_lazy("all")},
            initial="0.2",
            label=gettext_lazy("People per step"),
        ),
        "clip": Pick(
            {"0.1": gettext_lazy("short"), "0.5": gettext_lazy("medium"), "4": gettext_lazy("very long")},
            initial="0.5",
            label=gettext_lazy("Maximum length of slopes"),
        ),
    }

    def numbers(self, values: Values, _chance: SeededChance) -> Numbers:
        """Train with noise and without, and account for all steps."""
        rate, sigma, clip = float(values["batch"]), float(values["noise"]), float(values["clip"])
        course, right, says = _trained(rate, sigma, clip)
        plain, plain_right = _plain()
        return {
            "right": right,
            "plain_right": plain_right,
            "losses": list(course),
            "plain_losses": list(plain),
            "says": [list(row) for row in says],
            "epsilon": _by_renyi(rate, sigma),
            "epsilon_by_losses": BY_LOSSES[values["batch"]][values["noise"]],
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw how the loss falls, and what the network says in the end."""
        figures = {
            "right": roughly_of_100(numbers["right"]),
            "plain": roughly_of_100(numbers["plain_right"]),
            "epsilon": nats(numbers["epsilon_by_losses"]),
            "renyi": nats(numbers["epsilon"]),
            "n": whole_number(PEOPLE),
            "steps": whole_number(STEPS),
        }
        title = _("%(right)s of 100 answers are predicted correctly, at ε = %(epsilon)s") % figures
        sentence = _(
            "Without noise, %(plain)s of 100 would be correct. Adding up %(steps)s steps by Rényi divergences "
            "guarantees only ε = %(renyi)s. The exact distribution of the privacy losses shows that ε is "
            "%(epsilon)s."
        )
        return Shown(sentence % figures, (_curves(numbers, title), _map(numbers, title)))


@cache
def _people() -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Return the features and the outcome of each pattern, and how many people have it."""
    levels = np.linspace(-1, 1, _LEVELS) / np.sqrt(3)
    pairs = np.stack(np.meshgrid(levels, levels, indexing="ij"), axis=-1).reshape(-1, 2)
    features = np.hstack([pairs, np.full((len(pairs), 1), 1 / np.sqrt(3))])
    outcomes = np.repeat([-1.0, 1.0], len(pairs))
    agree = np.sign(pairs[:, 0] * pairs[:, 1])
    chances = np.where(np.tile(agree, 2) == outcomes, _RIGHT, 1 - _RIGHT) / len(pairs)
    return np.tile(features, (2, 1)), outcomes, SeededChance(5).generator.multinomial(PEOPLE, chances)


def _start() -> Floats:
    return np.asarray(SeededChance(1).generator.standard_normal(NETWORK.hidden * 4))


def _loss(theta: Floats) -> float:
    features, outcomes, counts = _people()
    return float(NETWORK.values(theta, features, outcomes) @ counts / PEOPLE)


def _share_right(theta: Floats) -> float:
    features, outcomes, counts = _people()
    return float(counts @ (NETWORK.scores(theta, features) * outcomes > 0) / PEOPLE)


@cache
def _plain() -> tuple[tuple[float, ...], float]:
    """Return the losses on the way, and the share predicted right in the end, of descent without noise."""
    (features, outcomes, counts), theta = _people(), _start()
    course = [_loss(theta)]
    for step in range(STEPS):
        theta = theta - _LENGTH * (counts @ NETWORK.gradients(theta, features, outcomes)) / PEOPLE
        if (step + 1) % _SHOWN == 0:
            course.append(_loss(theta))
    return tuple(course), _share_right(theta)


def _walks(rate: float, sigma: float, clip: float) -> Iterator[list[Floats]]:
    """Yield where each run has been, every few steps."""
    few = StochasticGradient(rate=rate, sigma=sigma, steps=_SHOWN, clip=clip)
    for run in range(_RUNS):
        generator, way = SeededChance(1 + run).generator, [_start()]
        for _part in range(STEPS // _SHOWN):
            way.append(few.train(NETWORK, _people(), way[-1], _LENGTH, generator, expected_size=PEOPLE))
        yield way


@lru_cache(maxsize=64)
def _trained(rate: float, sigma: float, clip: float) -> tuple[tuple[float, ...], float, tuple[tuple[float, ...], ...]]:
    """Return the mean loss on the way, the share predicted right in the end, and what the networks say of each pair."""
    ways = list(_walks(rate, sigma, clip))
    course = np.mean([[_loss(theta) for theta in way] for way in ways], axis=0)
    features = _people()[0][: _LEVELS**2]
    scores = np.array([NETWORK.scores(way[-1], features) for way in ways])
    says = (1 / (1 + np.exp(-np.clip(scores, -30, 30)))).mean(axis=0).reshape(_LEVELS, _LEVELS)
    right = float(np.mean([_share_right(way[-1]) for way in ways]))
    return tuple(course.tolist()), right, tuple(tuple(row) for row in says.tolist())


@lru_cache(maxsize=64)
def _by_renyi(rate: float, sigma: float) -> float:
    return float(StochasticGradient(rate=rate, sigma=sigma, steps=STEPS).epsilon(delta=DELTA))


def _curves(numbers: Numbers, title: str) -> Chart:
    steps = range(0, STEPS + 1, _SHOWN)
    rows = tuple(
        (whole_number(step), decimal(noisy, 3), decimal(plain, 3))
        for step, noisy, plain in zip(steps, numbers["losses"], numbers["plain_losses"], strict=True)
    )
    # What is above stands at the edge.
    highest = 1.5
    marked = [*(Tick(at, decimal(at, 1)) for at in (0, 0.5, 1)), Tick(highest, f"≥ {decimal(highest, 1)}")]
    lines = [
        [(float(step), min(loss, highest)) for step, loss in zip(steps, numbers[name], strict=True)]
        for name in ("losses", "plain_losses")
    ]
    return CurveChart(
        name="training",
        title=title,
        table=Table(title, (_("Step"), _("Loss with noise"), _("Loss without noise")), rows),
        x_axis=Axis(0, STEPS, tuple(Tick(at, str(at)) for at in range(0, STEPS + 1, 25)), _("steps")),
        y_axis=Axis(0, highest, tuple(marked), _("mean loss")),
        curves=(Curve(_("with noise"), lines[0]), Curve(_("without noise"), lines[1], dash=1)),
        marks=(Mark(_("guessing"), y=_GUESSING),),
    )


def _map(numbers: Numbers, title: str) -> Chart:
    names = [whole_number(level + 1) for level in range(_LEVELS)]
    cells = [[HeatCell(share, people_of_100(share)) for share in row] for row in numbers["says"]]
    rows = tuple((name, *(cell.value for cell in row)) for name, row in zip(names, cells, strict=True))
    return HeatTable(
        name="says",
        title=title,
        table=Table(title, (_("Answer to A, by answer to B"), *names), rows),
        row_title=_("answer to A"),
        column_title=_("Expected Yes answers of 100, by answer to B"),
        row_labels=names,
        column_labels=names,
        cells=cells,
    )


PAGE = Sgd()
