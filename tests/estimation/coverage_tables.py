"""Coverage and mean width of every interval, by enumerating every possible sample.

``python -m tests.estimation.coverage_tables`` writes docs/coverage.md anew (about three minutes); test_coverage.py
recomputes parts of it, test_looks.py and weighting/test_weighted_coverage.py their tables.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy import stats

from surveys.estimation.affine import AffineMap, require_affine_map
from surveys.estimation.intervals.coverage import least_coverage
from surveys.estimation.intervals.general import GENERAL_METHODS
from surveys.estimation.intervals.mapped import MAPPED_METHODS, mapped_interval
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, triangular
from tests.estimation import looks
from tests.estimation.weighting import contrast_coverage, weighted_coverage

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
SIZES = (10, 30, 100, 1000)
PREVALENCES = (0, 0.01, 0.05, 0.3, 0.5, 1)
SMALL = 100
LEFT_OUT = 1e-8
"""Samples rarer than this, whatever the prevalence, are left out where there are 500,000 of them."""
FINE = tuple(step / 200 for step in range(201))
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Case:
    """One design, and the option of it that the table is about."""

    title: str
    design: Design
    option: int = 1


FAIR = Case("Two fair coins; Warner with 3/4; crosswise with 1/4", forced_response())
FORCED = Case("5% forced to Yes, 5% to No", forced_response("9/10", "1/2"))
TRIANGULAR = Case("Triangular with 1/4", triangular("1/4"))
K_ARY = Case("One of four options, coin and even spinner", k_ary(4, "1/2"))
KUK = Case("Kuk, decks of 7/10 and 3/10 red, two cards", kuk("7/10", "3/10", 2))
GENERAL = Case(
    "One of three options, each with coins of its own",
    from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]]),
)
GENERAL_SIZES, GENERAL_PREVALENCES = (10, 30), (0, 0.01, 0.05, 0.1, 0.3, 0.5, 1)
TENTH = 0.1
CASES = (FAIR, FORCED, TRIANGULAR, K_ARY, KUK)


@dataclass(frozen=True)
class Row:
    """What one method does at one sample size, one entry a prevalence."""

    n: int
    method: str
    coverage: tuple[float, ...]
    width: tuple[float, ...]
    outside: tuple[float, ...]

    def __str__(self) -> str:
        cells = (f"{covered:.3f} · {width:.3f}" for covered, width in zip(self.coverage, self.width, strict=True))
        return f"| {self.n} | {self.method} | {' | '.join(cells)} |"


def methods_of(case: Case) -> tuple[str, ...]:
    """All methods; but the bootstrap of one of four options depends on the counts of the other three."""
    if case is KUK:
        return GENERAL_METHODS
    return MAPPED_METHODS if case is K_ARY else (*MAPPED_METHODS, "bootstrap")


@cache
def limits(case: Case, n: int, method: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The lower and the upper limit from each sample of n reports, and whether they were outside."""
    samples = samples_of(case, n)
    if method in MAPPED_METHODS and case is not KUK:
        line = require_affine_map(case.design)
        option_line = AffineMap(line.offset[[case.option]], line.slope)
        mapped = mapped_interval(samples[:, case.option], n, option_line, 0.95, method)
        return mapped.low, mapped.high, mapped.outside
    each = [estimate_prevalence(sample, case.design).interval(method=method) for sample in samples]
    low, high, outside = (
        np.array([getattr(interval, name)[case.option] for interval in each]) for name in ("low", "high", "outside")
    )
    return low, high, outside


def coverages(case: Case, n: int, method: str, prevalences: Sequence[float]) -> list[float]:
    """The probability of a sample whose interval holds the prevalence, for each of these."""
    low, high, _ = limits(case, n, method)
    return [
        float(weights @ ((low <= prevalence + _ROUNDING) & (prevalence - _ROUNDING <= high)))
        for prevalence, weights in zip(prevalences, probabilities_of(case, n, prevalences), strict=True)
    ]


def row(case: Case, n: int, method: str) -> Row:
    """One row of a case's table. Samples left out count as missed."""
    low, high, outside = limits(case, n, method)
    probabilities = probabilities_of(case, n, PREVALENCES)
    covered = tuple(coverages(case, n, method, PREVALENCES))
    return Row(n, method, covered, tuple(probabilities @ (high - low)), tuple(probabilities @ outside))


def rows(case: Case, sizes: tuple[int, ...] = SIZES) -> Iterator[Row]:
    """All rows of a case's table."""
    for n in sizes:
        for method in methods_of(case):
            yield row(case, n, method)


@cache
def samples_of(case: Case, n: int) -> np.ndarray:
    """The samples of n reports, one a row; of the reports of other options only the number matters to the interval."""
    counts = np.arange(n + 1)
    if case is not KUK:
        samples = np.zeros((n + 1, case.design.m), dtype=np.int64)
        samples[:, case.option] = counts
        samples[:, 0] = n - counts
        return samples
    first, second = np.meshgrid(counts, counts, indexing="ij")
    samples = np.stack([first, second, n - first - second], axis=-1)[first + second <= n]
    if n > SMALL:
        samples = samples[(_probabilities(case, samples, n, PREVALENCES) > LEFT_OUT).any(axis=0)]
    return samples


def probabilities_of(case: Case, n: int, prevalences: Sequence[float]) -> np.ndarray:
    """The probabilities of the samples, one row a prevalence."""
    return _probabilities(case, samples_of(case, n), n, prevalences)


def _probabilities(case: Case, samples: np.ndarray, n: int, prevalences: Sequence[float]) -> np.ndarray:
    if case is not KUK:
        line = require_affine_map(case.design)
        reported = line.offset[case.option] + line.slope * np.array(prevalences)
        chances: np.ndarray = stats.binom.pmf(samples[:, case.option], n, reported[:, np.newaxis])
        return chances
    matrix = np.array(case.design.matrix, dtype=float)
    return np.array([stats.multinomial.pmf(samples, n, matrix @ [1 - yes, yes]) for yes in prevalences])


def tenth_rows(case: Case) -> list[str]:
    """What the methods without draws cover at a share of one in ten, one row a method."""
    methods = ("likelihood_ratio", "wald") if case is KUK else MAPPED_METHODS
    sizes = SIZES[:2] if case is KUK else SIZES
    by_method = {method: [coverages(case, n, method, [TENTH])[0] for n in sizes] for method in methods}
    return [
        f"| {case.title} | {method} | {' | '.join([*(f'{one:.3f}' for one in covered), *['–'] * (4 - len(sizes))])} |"
        for method, covered in by_method.items()
    ]


def general_rows(n: int) -> list[str]:
    """What the intervals of a general matrix cover: the share of the second option, with half of the rest each."""
    counts = range(n + 1)
    samples = np.array([(a, b, n - a - b) for a in counts for b in counts if a + b <= n])
    matrix = np.array(GENERAL.design.matrix, dtype=float)
    truths = [np.array([(1 - share) / 2, share, (1 - share) / 2]) for share in GENERAL_PREVALENCES]
    chances = np.array([stats.multinomial.pmf(samples, n, matrix @ truth) for truth in truths])
    lines = []
    for method in ("likelihood_ratio", "wald"):
        each = [estimate_prevalence(sample, GENERAL.design).interval(method=method) for sample in samples]
        low, high = (np.array([getattr(one, name)[GENERAL.option] for one in each]) for name in ("low", "high"))
        cells = [
            f"{weights @ ((low <= share + _ROUNDING) & (share - _ROUNDING <= high)):.3f} · {weights @ (high - low):.3f}"
            for share, weights in zip(GENERAL_PREVALENCES, chances, strict=True)
        ]
        lines.append(f"| {n} | {method} | {' | '.join(cells)} |")
    return lines


TEXT = """# How often the intervals hold

This page shows how often each 95% interval contains the true share, and how wide it is.

- [How to read the tables](#how-to-read-the-tables)
- [Findings](#findings)
- [Least coverage of each method](#least-coverage-of-each-method)
- [How often all of an interval lies outside 0 to
  1](#how-often-all-of-an-interval-lies-outside-0-to-1)
- [At a share of one in ten](#at-a-share-of-one-in-ten)
- [A general matrix](#a-general-matrix)
- [Many looks at an open survey](#many-looks-at-an-open-survey)
- [Weighted shares](#weighted-shares)
- [Weighted differences, lists and regressions](#weighted-differences-lists-and-regressions)
- [All tables](#all-tables)

This command writes the page. Tests recompute parts of it.

```sh
python -m tests.estimation.coverage_tables
```

## How to read the tables

Only weighted figures are simulated. For everything else, every possible sample is enumerated with
its probability. The bootstrap's own draws are the exception, and their seed is fixed. Each interval
is the one that the program shows, cut to [0, 1].

Each cell is **coverage · mean width** of the nominal 95% interval. The share in the head of its
column is the true share of Yes, or of the one option.

## Findings

### Wilson is the default

With 5% forced to Yes, 5% to No, 30 respondents and a true share of 1%, Wilson covers {wilson}, Wald
{wald}.

At a true share of one in ten, Wilson holds in .924 of samples of 10 under two fair coins. Such an
interval is narrower than it should be.

### The other methods

- **Clopper–Pearson is never below .95.** That is proved for all shares and seen here. The price is
  the widest intervals.
- **Wilson, Agresti–Coull, Jeffreys and the likelihood ratio** are near .95 on average and below it
  in places. The next section has the least of each.
- **Wald is for comparison only.** It has no width where none or all say Yes, as small samples often
  do. For the triangular design with n = 10 and a share of 0.995, it covers .037.
- **The bootstrap** stays around the constrained estimate (percentile method). It is wide near the
  boundary, and below .95 for small samples elsewhere. Where a design makes a report certain
  (triangular, all Yes), it has no width and fails as Wald does. It serves to check the likelihood
  ratio, the default where there is no binomial interval.
- **A general matrix** with 10 answers holds in .87 to .91 where the share is 1 to 10%. Such
  intervals are narrower than they should be.
- **Triangular at 1.** Every report is Yes, so there is only one sample, and an interval covers
  always or never.

### At the boundary

Cutting helps the interval. An interval that was below 0 altogether is cut to [0, 0], which holds
the share 0. So coverage at 0 and at 1 is never below that of the binomial interval, whose misses
are on both sides. It is above it where an interval can be outside.

Such an interval is marked (`Interval.outside`), and pages never show it as certainty. It holds the
true share only if that is exactly 0 or 1. [A
table](#how-often-all-of-an-interval-lies-outside-0-to-1) says how often it happens.

The likelihood-ratio interval of one share is found among the possible shares only. So it is never
outside, and it is wider near the boundary for that reason. The likelihood-ratio intervals of means,
cells and ratios are cut like Wilson's ([estimates](theory/04-estimates.md)).

## Least coverage of each method

"Least for any share" is the greatest lower bound for all shares between 0 and 1 and samples of 10,
30 and 100 (`least_coverage`). For the bootstrap and for Kuk's design, it is the least for the
shares 0, 0.005, 0.01, …, 1.

Results pages show this value beside an interval that misses more than 1.4 times as often as it
says. For 95%, that is an interval that may hold in under .93.

| method | least in the tables | where | mean in the tables | least for any share |
|---|---|---|---|---|
{least}

Kuk's design with two cards has no binomial interval:

| method | least in the tables | where | mean in the tables | least for any share |
|---|---|---|---|---|
{least_of_kuk}

## How often all of an interval lies outside 0 to 1

Under two fair coins, before cutting, for true shares of 0, 1% and 5%:

| n | method | 0 | 0.01 | 0.05 |
|---|---|---|---|---|
{outside}

## At a share of one in ten

Coverage at n = 10, 30, 100 and 1000:

| design | method | 10 | 30 | 100 | 1000 |
|---|---|---|---|---|---|
{tenth}

## A general matrix

Where a report depends on several shares, the interval is the likelihood ratio's. With few answers
it holds less often than it says. The other two options have half of the rest each. The cells are
coverage · mean width:

| n | method | 0 | 0.01 | 0.05 | 0.1 | 0.3 | 0.5 | 1 |
|---|---|---|---|---|---|---|---|---|
{general}

## Many looks at an open survey

An interval is 95% for one look. While a survey is open, its pages show a new interval after each
batch. A person who watches sees them all.

The table says how often at least one of them misses. The intervals are Wilson's, for 400 responses.
Each look has at least 10 responses more than the last, as pages count. The numbers are exact
(`tests/estimation/looks.py`).

The last column is the one interval after closing. It is 95% as long as the figures did not decide
when the survey closed. Set the survey's end or its cap before you open it.

{looks}

## Weighted shares

These are 10,000 samples of each setting, each with its own seed
(`tests/estimation/weighting/weighted_coverage.py`). `make studies` finds the table again.

### The rule

The rule was set before the first run. An interval must cover at least .94 in every setting, to
three standard deviations of the simulation (.933). Of the methods that do, the shorter one is used.

Agresti–Coull's and the smoothed limits were added when that run showed what Wilson's miss. The
table has other seeds.

### The methods

- **Wilson, before.** n is the variance of one report over that of the weighted estimate. Sometimes
  a few people carry most of the weight and none of them reports Yes. Then the variance takes them
  to be all alike, and the interval misses.
- **Korn–Graubard.** Clopper–Pearson's limits at the same n. They miss for the same reason.
- **Kish.** n is at most Kish's effective number of people. Wilson's limits then fall below the rule
  in two settings, the other two methods in none. **Agresti–Coull's limits are the shorter and are
  the ones used.**
- **Smoothed.** The ceiling on n is higher where two more Yes and two more No of each weight would
  allow it. This keeps what known shares explain, and it holds too.

The interval used can be wide. With 100 + 100 people, of whom 90% and 10% say Yes, it is 1.6 times
as wide as it need be. The smoothed one is still not used, for two reasons. Its number was chosen
after looking: one and two, in place of four, fall below the rule. And clusters and means have
nothing like it.

### Means

Means of a scale of five points were studied, and of four points among people who give theirs, in 30
settings of 1,500 samples. The interval used holds in all of them by the same rule. The earlier one
held in under .93 of samples of direct answers from 185 + 15 people.

### The table

{weighted}

## Weighted differences, lists and regressions

These are 2,000 samples of each setting, each with its own seed
(`tests/estimation/weighting/contrast_coverage.py`). `make studies` finds the table again.

Clusters of 20 people are drawn in each of two strata. True answers are alike within a cluster and
more often Yes where weights are large. In the regression, people without it are drawn half as often
and weigh twice as much. The last column has the same weights but ignores strata and clusters.

With them, the intervals hold in .954 to .967 of samples. Arms are dealt within clusters, so most of
what a cluster has in common cancels in a difference, and ignoring clusters costs little there. It
costs more for a share that an anchor corrects.

{contrasts}

## All tables
{tables}
The rows of Kuk's design at n = 1000 skip samples with a probability below 1e-8 for each of the
shares. Together these have less than 1e-5, and they count as missed.
"""
HEAD = "| n | method | " + " | ".join(str(prevalence) for prevalence in PREVALENCES) + " |\n" + "|---" * 8 + "|\n"


def page() -> str:
    """The whole text of docs/coverage.md."""
    tables = {case: list(rows(case)) for case in CASES}
    binomial = {case: of_case for case, of_case in tables.items() if case is not KUK}
    at_thirty = {one.method: one.coverage[1] for one in tables[FORCED] if one.n == 30}
    return TEXT.format(
        wilson=_short(at_thirty["wilson"]),
        wald=_short(at_thirty["wald"]),
        least="\n".join(_least(binomial, method) for method in methods_of(FAIR)),
        least_of_kuk="\n".join(_least({KUK: tables[KUK]}, method) for method in methods_of(KUK)),
        outside="\n".join(
            f"| {one.n} | {one.method} | " + " | ".join(f"{share:.3f}" for share in one.outside[:3]) + " |"
            for one in tables[FAIR]
        ),
        tenth="\n".join(line for case in CASES for line in tenth_rows(case)),
        looks=looks.table(),
        weighted=weighted_coverage.table(weighted_coverage.coverage_everywhere()),
        contrasts=contrast_coverage.table(),
        general="\n".join(line for n in GENERAL_SIZES for line in general_rows(n)),
        tables="\n".join(
            f"\n### {case.title}\n\n{HEAD}" + "\n".join(map(str, of_case)) + "\n" for case, of_case in tables.items()
        ),
    )


def _least(tables: dict[Case, list[Row]], method: str) -> str:
    """The row of the summary for one method: its least coverage, where that is, and the mean."""
    cells = [
        (covered, case.title, one.n, prevalence)
        for case, of_case in tables.items()
        for one in of_case
        if one.method == method
        for prevalence, covered in zip(PREVALENCES, one.coverage, strict=True)
    ]
    least, title, n, prevalence = min(cells)
    mean = sum(cell[0] for cell in cells) / len(cells)
    anywhere = min(
        min(coverages(case, size, method, FINE))
        if method == "bootstrap" or case is KUK
        else least_coverage(case.design, size, 0.95, method)[0]
        for case in tables
        for size in SIZES[:3]
        if method in methods_of(case)
    )
    where = f"{title}: n = {n}, share {prevalence}"
    return f"| {method} | {_short(least)} | {where} | {_short(mean)} | {_short(anywhere)} |"


def _short(share: float) -> str:
    """.970 for 0.97."""
    return f"{share:.3f}".removeprefix("0")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
