// How the phone randomizes. Pure arithmetic: no page, no storage, no network.
//
// A design is given as integers: columns[truth][report] / denominator is the probability of that report when that
// is the true answer. The walk is the same as in surveys/privacy/randomness.py and
// surveys/answering/services/perturbing.py and is tested against them.

const WORDS = 2 ** 32;

function cryptographicWord() {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}

/**
 * An integer in 0, 1, ..., bound - 1, all exactly equally likely.
 *
 * A plain remainder would favour small numbers, so words beyond the last whole multiple of bound are thrown away.
 */
export function drawBelow(bound, nextWord = cryptographicWord) {
  if (!(Number.isInteger(bound) && bound >= 1 && bound <= WORDS)) {
    throw new RangeError(`bound must be an integer from 1 to 2^32, got ${bound}`);
  }
  const accepted = Math.floor(WORDS / bound) * bound;
  let word = nextWord();
  while (!(word < accepted)) word = nextWord();
  return word % bound;
}

/** The report for this truth: the first whose share of the column reaches beyond the number drawn. */
export function drawReport(columns, denominator, truth, below = drawBelow) {
  const column = columns[truth];
  if (column === undefined || column.reduce((sum, weight) => sum + weight, 0) !== denominator) {
    throw new RangeError("the column of this truth must sum to the denominator");
  }
  let remaining = below(denominator);
  return column.findIndex((weight) => {
    if (remaining < weight) return true;
    remaining -= weight;
    return false;
  });
}

/**
 * The report for a number that stands stepsTo of so many steps above the lowest one: it is rounded to code 1, the
 * highest number, in stepsTo of steps cases, else to code 0, the lowest; then that end is reported like any answer.
 * Of several cells, equal parts of the range, it is rounded to the ends of the one that it is in.
 */
export function drawNumberReport(columns, denominator, steps, stepsTo, below = drawBelow, cells = 1) {
  if (!(Number.isInteger(stepsTo) && stepsTo >= 0 && stepsTo <= steps)) {
    throw new RangeError("a number must be a whole number of steps, none to all of them");
  }
  const reached = stepsTo * cells;
  const cell = Math.min(Math.floor(reached / steps), cells - 1);
  return drawReport(columns, denominator, cell + (below(steps) < reached - cell * steps ? 1 : 0), below);
}
