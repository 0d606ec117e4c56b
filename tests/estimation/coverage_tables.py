"""Coverage and mean width of every interval, by enumerating every possible sample.

``python -m tests.estimation.coverage_tables`` writes docs/coverage.md anew (about three minutes); test_coverage.py
recomputes parts of it, and the tests beside each module that simulates find its tables again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy import stats

from surveys.estimation.affine import AffineMap, require_affine_map
from surveys.estimation.intervals.binomial import METHODS
from surveys.estimation.intervals.coverage import least_coverage
from surveys.estimation.intervals.general import GENERAL_METHODS
from surveys.estimation.intervals.mapped import MAPPED_METHODS, mapped_interval
from surveys.estimation.intervals.sequence import SEQUENCE
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, triangular
from tests.estimation import every_look, largest_coverage, looks
from tests.estimation.regression import mixed_coverage, penalties, rare_answers, trait_coverage
from tests.estimation.regression.rare_answers import MODELS, RARE_STUDIES
from tests.estimation.released import release_coverage
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
    """All methods for one look; but the bootstrap of one of four options depends on the counts of the other three."""
    if case is KUK:
        return tuple(method for method in GENERAL_METHODS if method != SEQUENCE)
    return tuple(METHODS) if case is K_ARY else (*METHODS, "bootstrap")


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
    methods = ("likelihood_ratio", "wald") if case is KUK else tuple(METHODS)
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
- [The largest share](#the-largest-share)
- [Distributions and figures by group from
  releases](#distributions-and-figures-by-group-from-releases)
- [Several answers of one person](#several-answers-of-one-person)
- [A trait as a predictor](#a-trait-as-a-predictor)
- [Regressions without a maximum](#regressions-without-a-maximum)
- [Weighted differences, lists and regressions](#weighted-differences-lists-and-regressions)
- [All tables](#all-tables)

This command writes the page. Tests recompute parts of it.

```sh
python -m tests.estimation.coverage_tables
```

## How to read the tables

Where a section gives a number of samples, studies, classes or releases, they are simulated. For
everything else, every possible sample is enumerated with its probability. The bootstrap's own draws
are the exception, and their seed is fixed. Each interval is the one that the program shows, cut to
[0, 1].

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

### Intervals for every look

*Holds however often you look* in *Settings* shows a wider interval: a [confidence
sequence](theory/05-intervals.md#every-look). At most 5% of surveys are ever missed by it, whatever
ends the survey. The same surveys, and how many times as wide as Wilson's it is:

{every_look}

For means and for designs in which a report depends on several shares, 20,000 classes of 400 are
simulated. The usual ones are likelihood-ratio intervals (`tests/estimation/every_look.py`):

{simulated}

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

## The largest share

A question with several answers is summed up by its largest estimate, which was chosen for being
large. These are 2,000 samples of each setting, with fixed seeds
(`tests/estimation/largest_coverage.py`). `make studies` finds the tables again. The true shares are
equal (3, 5 or 10 answers), or .30, .28, .18, .14 and .10 (two ahead), or .60 and four times .10
(one far ahead). The design is direct, or a coin with an even spinner.

### Its interval

Coverage of the true share of the answer with the largest estimate · mean width. The intervals are
Wilson's 95% intervals, for one answer fixed beforehand or for all answers at once (Bonferroni).
**Headlines and the overview use the one for all answers.** Before, they used the one for one
answer, and the overview said below that it holds only if the answer was fixed.

{largest_intervals}

### What may be the most common answer

How often a set of answers holds the most common one · the mean number of answers in it. In the
first column, the simultaneous intervals of the set reach the highest lower limit. In the other two,
no other answer is more frequent by a one-sided test (Bonferroni). Overlapping intervals name more
answers than they need to. The two tests name about as many, and in small samples the score test
excludes the most common answer less often. **The score test is used.** For options with a coin
each, whose dependence pages do not know, the intervals are.

{largest_sets}

## Distributions and figures by group from releases

These are 2,000 releases of each setting, with a fixed seed
(`tests/estimation/released/release_coverage.py`). `make studies` finds the tables again. Each
release has responses of its own and noise of its own.

### Distributions

"One share" is that up to the middle answer, and "a range" is the middle third of the answers, each
with an interval of its own at 95%. "All shares" and "all quartiles" are at 95% together. Chernoff's
bound on the noise and Bonferroni's inequality make them hold more often than they say.

{distributions}

### Figures by group

Three groups have 50, 30 and 20% of people. Yes has 5, 30 and 60% of them. The columns are intervals
at 95% for the share of Yes in the largest and in the smallest group, for the size of the smallest,
and all six of them at 95% together.

{groups}

## Several answers of one person

These are 2,000 samples of each setting, with a fixed seed
(`tests/estimation/regression/mixed_coverage.py`). Each person answers four items, and half of all
people have the predictor, whose coefficient is 0.7. `make studies` finds the table again.

The interval of σ is the likelihood ratio's, which may begin at 0. The coefficient's is Wald's. A
sample without a maximum counts as one that does not hold the coefficient.

{mixed}

## A trait as a predictor

A yes/no trait has the log odds x − 0.5, with a normal x. The outcome has the log odds x/2 − 0.4, or
this mean with an error of standard deviation 1, and 1 more with the trait. With an anchor, four in
five attend: throughout where the outcome is a number, else drawn anew at each question. Each
setting was simulated {studies} times.

Coverage is that of the 95% Wald interval of the trait's coefficient, by the sandwich with an
anchor. The last four columns are the median error of this coefficient, −1 if the whole effect is
lost. The predictor is

- **together**: the trait, by the likelihood of outcome and report (`fit_on_trait`);
- **probability**: its probability given x and the report, by the true model of the trait;
- **likelier**: the likelier answer by that probability;
- **report**: the report.

With an anchor, the last three take everyone to be attentive.

{trait}

Together, the median error is at most .03. With a number and two fair coins the intervals hold in
under .93, a little less often than they say: 500 people are few there. The likelier answer and the
report lose .43 to .57 of the effect. The probability does well without an anchor, but loses .22
where some do not attend.

## Regressions without a maximum

With a rare answer or few people, a likelihood may have no maximum that gives an odds ratio
([theory](theory/08-regression.md#where-the-maximum-lies-at-infinity)). Three penalties were
compared in 30 settings of 2,000 studies each (`tests/estimation/regression/penalties.py`). `make
studies` finds the table again.

### The rule of choice

The rule was set before the first run. Limits must cover at least .94 in every setting, to three
standard deviations of the simulation (.924). Of the penalties whose limits do, the one with the
shortest is used.

### The penalties

- **Jeffreys** [Firth 1993], with the information of randomized reports.
- **log-F(1, 1)** on the log odds ratio [Greenland & Mansournia 2015]; the intercept has no prior.
- **Cauchy**, of scale 2.5 for the log odds ratio and 10 for the centred intercept [Gelman and
  others 2008]. R’s rr has it.

### The studies

One predictor has a log odds ratio of 1. A row names the share of Yes without the predictor, n, the
design and the predictor: half of all people, one in eight, or a randomized answer that is Yes for
40 in 100. *Without* counts the studies that have no usable maximum.

Cells are **coverage · coverage without · mean length without · mean error without**. The first
figure is of all studies, with the likelihood’s own limits where it has a usable maximum. The other
three are of the studies without one, on the scale of the log odds ratio. They are missing if fewer
than 20 studies are without.

A likelihood tends to have no maximum when chance has moved the reports far from the truth. So
limits that hold in .95 of all studies hold less often, or more often, in these alone. Where unusual
reports are needed for it, as with 20 in 100 and 300 people, they hold in clearly fewer.

{penalties}

### Other models

These are the studies without a usable maximum among 200 of each model
(`tests/estimation/regression/rare_answers.py`): the share of Yes is 5% without a predictor that
half of all people have and that has a log odds ratio of 1. Limits are those of Jeffreys’ penalty.
All studies without a maximum got an answer. The error is the median one.

{rare}

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
    largest = largest_coverage.everywhere()
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
        every_look=every_look.exact_table(),
        simulated=every_look.simulated_table(),
        mixed=mixed_coverage.table(),
        weighted=weighted_coverage.table(weighted_coverage.coverage_everywhere()),
        largest_intervals=largest_coverage.interval_table(largest),
        largest_sets=largest_coverage.set_table(largest),
        distributions=release_coverage.table_of_distributions(),
        groups=release_coverage.table_of_groups(),
        studies=f"{trait_coverage.STUDIES:,}",
        trait=trait_coverage.table(trait_coverage.results()),
        penalties=penalties.table(penalties.compare_everywhere()),
        rare=rare_answers.rare_table([rare_answers.rare_answers(name, RARE_STUDIES) for name in MODELS]),
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
