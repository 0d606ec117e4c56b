// Blind RSA signatures: RFC 9474, RSABSSA-SHA384-PSS-Randomized. The server signs a number that it cannot recognize
// again. Pure arithmetic: no page, no storage, no network. A message begins with its 32 random bytes.
//
// SHA-384 is written out, as crypto.subtle is missing where a class answers over plain HTTP. The same is in
// surveys/credit/blind.py and is tested against it. Whole numbers without limit came to Safari in 2020: only surveys
// that give credit load this.

const EXPONENT = 65537n;
const SALT_BYTES = 48;
const HASH_BYTES = 48;
const BLOCK_BYTES = 128;

const word = (number) => BigInt.asUintN(64, number);
const turned = (number, by) => (number >> by) | word(number << (64n - by));

const primes = [];
for (let number = 2n; primes.length < 80; number += 1n) if (primes.every((prime) => number % prime)) primes.push(number);

/** The first 64 bits after the point of a prime's root. */
function fraction(prime, degree) {
  let root = 0n;
  for (let bit = 1n << 66n; bit; bit >>= 1n) if ((root | bit) ** degree <= prime << (64n * degree)) root |= bit;
  return word(root);
}

const CONSTANTS = primes.map((prime) => fraction(prime, 3n));
const START = primes.slice(8, 16).map((prime) => fraction(prime, 2n));

export function sha384(bytes) {
  const padded = new Uint8Array(BLOCK_BYTES * Math.ceil((bytes.length + 17) / BLOCK_BYTES));
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  new DataView(padded.buffer).setUint32(padded.length - 4, 8 * bytes.length);
  let state = START;
  for (let start = 0; start < padded.length; start += BLOCK_BYTES) {
    const after = afterBlock(state, padded.subarray(start, start + BLOCK_BYTES));
    state = state.map((number, place) => word(number + after[place]));
  }
  return join(...state.slice(0, 6).map((number) => toBytes(number, 8)));
}

function afterBlock(state, block) {
  const words = [];
  let [a, b, c, d, e, f, g, h] = state;
  CONSTANTS.forEach((constant, t) => {
    if (t < 16) words.push(toNumber(block.subarray(8 * t, 8 * t + 8)));
    else {
      const [early, late] = [words[t - 15], words[t - 2]];
      const low = turned(early, 1n) ^ turned(early, 8n) ^ (early >> 7n);
      const high = turned(late, 19n) ^ turned(late, 61n) ^ (late >> 6n);
      words.push(word(words[t - 16] + low + words[t - 7] + high));
    }
    const chosen = (e & f) ^ (word(~e) & g);
    const most = (a & b) ^ (a & c) ^ (b & c);
    const first = h + (turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n)) + chosen + constant + words[t];
    const second = (turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n)) + most;
    [a, b, c, d, e, f, g, h] = [word(first + second), a, b, c, word(d + first), e, f, g];
  });
  return [a, b, c, d, e, f, g, h];
}

export function join(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function toNumber(bytes) {
  return BigInt(`0x0${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`);
}

function toBytes(number, length) {
  return Uint8Array.from(number.toString(16).padStart(2 * length, "0").match(/../g), (pair) => parseInt(pair, 16));
}

/** The bytes with the mask that grows from a seed (MGF1), their first bit 0; twice is none. */
function masked(bytes, seed) {
  const mask = [];
  for (let count = 0; mask.length < bytes.length; count += 1) mask.push(...sha384(join(seed, [0, 0, 0, count])));
  const mixed = bytes.map((byte, place) => byte ^ mask[place]);
  mixed[0] &= 0x7f;
  return mixed;
}

/** EMSA-PSS, for a modulus of so many whole bytes. */
function encode(message, salt, size) {
  const hash = sha384(join(new Uint8Array(8), sha384(message), salt));
  const data = new Uint8Array(size - HASH_BYTES - 1);
  data.set([1, ...salt], data.length - SALT_BYTES - 1);
  return join(masked(data, hash), hash, [0xbc]);
}

const sizeOf = (modulus) => modulus.toString(16).length / 2;

function opened(number, modulus) {
  let power = number;
  for (let squared = 1n; squared < EXPONENT - 1n; squared *= 2n) power = (power * power) % modulus;
  return (power * number) % modulus;
}

function inverseOf(number, modulus) {
  let [rest, next, inverse, following] = [modulus, number, 0n, 1n];
  while (next) {
    const times = rest / next;
    [rest, next] = [next, rest - times * next];
    [inverse, following] = [following, inverse - times * following];
  }
  // A modulus of small primes, which a sound key never has, would be recognized in what is blinded.
  if (rest !== 1n) throw new RangeError("this number and the modulus have a divisor in common");
  return ((inverse % modulus) + modulus) % modulus;
}

const randomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

/** What the server is asked to sign, and what takes the blinding off again. */
export function blind(modulus, message, random = randomBytes) {
  const size = sizeOf(modulus);
  const encoded = toNumber(encode(message, random(SALT_BYTES), size));
  inverseOf(encoded, modulus);
  let factor = 0n;
  // Every number from 1 to the modulus is equally likely: what is beyond is thrown away.
  while (!(factor > 0n && factor < modulus)) factor = toNumber(random(size));
  return { blinded: toBytes((encoded * opened(factor, modulus)) % modulus, size), inverse: inverseOf(factor, modulus) };
}

/** The signature of the message, from the server's; throws where the server has not signed what it was asked to. */
export function finalize(modulus, message, blindSignature, inverse) {
  const size = sizeOf(modulus);
  const signature = toBytes((toNumber(blindSignature) * inverse) % modulus, size);
  if (blindSignature.length === size && verify(modulus, message, signature)) return signature;
  throw new RangeError("the signature is not of this message under this key");
}

export function verify(modulus, message, signature) {
  const size = sizeOf(modulus);
  const number = toNumber(signature);
  if (signature.length !== size || !(number < modulus)) return false;
  const encoded = toBytes(opened(number, modulus), size);
  const [data, seed] = [encoded.subarray(0, size - HASH_BYTES - 1), encoded.subarray(-HASH_BYTES - 1, -1)];
  // With its salt a message has one encoding.
  const expected = encode(message, masked(data, seed).slice(-SALT_BYTES), size);
  return encoded.every((byte, place) => byte === expected[place]);
}

export function fromText(text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
}

export function toText(bytes) {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

export function modulusOf(text) {
  return toNumber(fromText(text));
}
