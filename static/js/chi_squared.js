// Pearson's test of fit: how far counts stray from what was expected, and how often chance strays as far.

/** The sum of (count - expected)^2 / expected. A count where none is possible strays infinitely far. */
export function statistic(counts, expected) {
  return counts.reduce((sum, count, cell) => {
    if (expected[cell] === 0) return count === 0 ? sum : Infinity;
    return sum + (count - expected[cell]) ** 2 / expected[cell];
  }, 0);
}

/**
 * The probability that chi-squared with so many degrees of freedom is at least x.
 *
 * With a = degrees / 2 it is Q(a, x / 2), the regularised upper incomplete gamma function: Q(1/2, y) = erfc(sqrt y),
 * Q(1, y) = exp(-y), and Q(a + 1, y) = Q(a, y) + y^a exp(-y) / Gamma(a + 1) (DLMF 8.8.6). All terms are positive, so
 * nothing cancels.
 */
export function survival(x, degrees) {
  if (!(Number.isInteger(degrees) && degrees >= 1 && degrees <= 100)) {
    throw new RangeError(`degrees must be an integer from 1 to 100, got ${degrees}`);
  }
  if (!(x >= 0)) throw new RangeError(`x must be 0 or more, got ${x}`);
  if (x === Infinity) return 0;
  const y = x / 2;
  let a = degrees % 2 === 1 ? 0.5 : 1;
  let tail = a === 0.5 ? erfc(Math.sqrt(y)) : Math.exp(-y);
  let term = a === 0.5 ? 2 * Math.sqrt(y / Math.PI) * Math.exp(-y) : y * Math.exp(-y);
  for (; a < degrees / 2; a += 1) {
    tail += term;
    term *= y / (a + 1);
  }
  return Math.min(tail, 1);
}

/** 1 - erf(z) for z >= 0: near 0 by the series of erf (DLMF 7.6.2), beyond by the continued fraction (DLMF 7.9.1). */
function erfc(z) {
  const peak = Math.exp(-z * z) / Math.sqrt(Math.PI);
  if (z < 2) {
    let term = 2 * z * peak;
    let sum = 0;
    for (let n = 1; sum + term !== sum; n += 1) {
      sum += term;
      term *= (2 * z * z) / (2 * n + 1);
    }
    return 1 - sum;
  }
  let fraction = z;
  for (let n = FRACTIONS; n >= 1; n -= 1) fraction = z + n / 2 / fraction;
  return peak / fraction;
}

// At z = 2 so many levels leave an error below 1e-15; beyond, fewer would do.
const FRACTIONS = 100;
