// A QR code of one size, drawn on the phone: no server may see a credit receipt come from where somebody answered.
// ISO/IEC 18004, version 16, level L, mask 0, in bytes. Any mask can be read, and a receipt is as good as random.

const SIZE = 81;
const BLOCKS = [98, 98, 98, 98, 98, 99]; // codewords of data in each
const CHECKS = 24; // in each
const CENTERS = [6, 26, 50, 74]; // of the small squares, in both directions
const FORMAT = 0b111011111000100; // level L and mask 0, with their check
const VERSION = 0x10b78; // 16, with its check
const QUIET = 4;
const MOST_BYTES = BLOCKS.reduce((sum, count) => sum + count, 0) - 3;

/** The product in the field of 256 elements that QR codes use. */
function product(a, b) {
  let sum = 0;
  for (let [left, right] = [a, b]; right; right >>= 1) {
    if (right & 1) sum ^= left;
    left = (left << 1) ^ (left & 0x80 ? 0x11d : 0);
  }
  return sum;
}

// The polynomial with the roots 2^0 to 2^23, highest power first.
const generator = [1];
for (let [count, root] = [0, 1]; count < CHECKS; count += 1, root = product(root, 2)) {
  generator.push(0);
  for (let place = generator.length - 1; place > 0; place -= 1) generator[place] ^= product(generator[place - 1], root);
}

function checksOf(block) {
  const rest = [...block, ...Array(CHECKS).fill(0)];
  block.forEach((_, place) => {
    const lead = rest[place];
    generator.forEach((factor, by) => (rest[place + by] ^= product(factor, lead)));
  });
  return rest.slice(block.length);
}

function codewords(bytes) {
  const hex = [0x4, ...[12, 8, 4, 0].map((by) => (bytes.length >> by) & 15), ...bytes.flatMap((byte) => [byte >> 4, byte & 15]), 0];
  const data = [];
  for (let place = 0; place < hex.length; place += 2) data.push(16 * hex[place] + hex[place + 1]);
  for (let pad = 0xec; data.length < MOST_BYTES + 3; pad ^= 0xec ^ 0x11) data.push(pad);
  let start = 0;
  const blocks = BLOCKS.map((count) => data.slice(start, (start += count)));
  const inTurn = (lists) => lists[lists.length - 1].flatMap((_, place) => lists.flatMap((list) => list.slice(place, place + 1)));
  return [...inTurn(blocks), ...inTurn(blocks.map(checksOf))];
}

/** Where each module is dark, row by row; null for a text that is too long. */
export function modulesOf(text) {
  const bytes = [...new TextEncoder().encode(text)];
  if (bytes.length > MOST_BYTES) return null;
  const rows = Array.from({ length: SIZE }, () => Array(SIZE).fill(null));
  const square = (row, column, reach, light) => {
    for (let y = Math.max(0, row - reach); y <= Math.min(SIZE - 1, row + reach); y += 1) {
      for (let x = Math.max(0, column - reach); x <= Math.min(SIZE - 1, column + reach); x += 1) {
        rows[y][x] = !light.includes(Math.max(Math.abs(y - row), Math.abs(x - column)));
      }
    }
  };
  for (let place = 0; place < SIZE; place += 1) rows[6][place] = rows[place][6] = place % 2 === 0;
  const inCorner = (y, x) => Math.min(y, x) === 6 && [6, SIZE - 7].includes(Math.max(y, x));
  for (const y of CENTERS) for (const x of CENTERS) if (!inCorner(y, x)) square(y, x, 2, [1]);
  for (const [y, x] of [[3, 3], [3, SIZE - 4], [SIZE - 4, 3]]) square(y, x, 4, [2, 4]);
  const bit = (number, place) => ((number >> place) & 1) === 1;
  for (let place = 0; place < 15; place += 1) {
    const dark = bit(FORMAT, place);
    rows[8][place < 8 ? SIZE - 1 - place : [7, 5, 4, 3, 2, 1, 0][place - 8]] = dark;
    rows[place < 8 ? [0, 1, 2, 3, 4, 5, 7, 8][place] : SIZE - 15 + place][8] = dark;
  }
  rows[SIZE - 8][8] = true;
  for (let place = 0; place < 18; place += 1) {
    const [near, far] = [Math.floor(place / 3), SIZE - 11 + (place % 3)];
    rows[near][far] = rows[far][near] = bit(VERSION, place);
  }
  fill(rows, codewords(bytes).flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((place) => bit(byte, place))));
  return rows;
}

/** Put the bits where nothing is yet: two columns at a time, from the right, up and down in turn. */
function fill(rows, bits) {
  let place = 0;
  for (let right = SIZE - 1; right > 0; right -= right === 8 ? 3 : 2) {
    const isUpward = ((SIZE - 1 - right) & 2) === 0;
    for (let step = 0; step < SIZE; step += 1) {
      const y = isUpward ? SIZE - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (rows[y][x] === null) rows[y][x] = (bits[place++] ?? false) !== ((x + y) % 2 === 0);
      }
    }
  }
}

function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

/** The code as a picture; null for a text that is too long. */
export function pictureOf(text) {
  const rows = modulesOf(text);
  if (!rows) return null;
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  const span = SIZE + 2 * QUIET;
  const light = `M${-QUIET} ${-QUIET}h${span}v${span}h${-span}z`;
  const picture = element("svg", { viewBox: `${-QUIET} ${-QUIET} ${span} ${span}`, width: 4 * span });
  // In these colours whatever those of the page are.
  picture.append(element("path", { d: light, fill: "#fff" }), element("path", { d: path, fill: "#000" }));
  return picture;
}
