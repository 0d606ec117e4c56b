// The same class again and again: supposed answers through the randomizer that answers surveys.
//
// What a number of reports is read as stands in the page: nothing is estimated here. Who holds what is said there too.

import { drawNumberReport, drawReport } from "./randomizer.js";

const SVG = "http://www.w3.org/2000/svg";
const A_FRAME = 4;

const still = matchMedia("(prefers-reduced-motion: reduce)");
const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);

/** How many of a class's reports are the one that is counted. */
export function drawClass({ columns, denominator, option, truths, n, steps, stepsTo }, below = undefined) {
  let count = 0;
  if (steps !== null) {
    for (let person = 0; person < n; person += 1) {
      count += drawNumberReport(columns, denominator, steps, stepsTo, below) === option;
    }
    return count;
  }
  truths.forEach((people, truth) => {
    for (let person = 0; person < people; person += 1) {
      count += drawReport(columns, denominator, truth, below) === option;
    }
  });
  return count;
}

/** What a count is read as: estimate, low, high, and whether the interval holds what was supposed. */
export function read({ first, read: table }, count) {
  const found = table[count - first];
  if (!found) throw new RangeError(`${count} reports are not in the table`);
  const [estimate, low, high, holds] = found;
  return { estimate, low, high, holds };
}

function line(svg, name, x1, x2, y1, y2) {
  const drawn = document.createElementNS(SVG, "line");
  drawn.setAttribute("class", name);
  Object.entries({ x1, x2, y1, y2 }).forEach(([key, value]) => drawn.setAttribute(key, value));
  svg.append(drawn);
  return drawn;
}

const percent = (share) => Math.min(100, Math.max(0, 100 * share));

function drawOne(svg, design, at) {
  const count = drawClass(design);
  const { estimate, low, high, holds } = read(design, count);
  const interval = line(svg, holds ? "holds" : "misses", percent(low), percent(high), at + 0.5, at + 0.5);
  interval.dataset.count = count;
  line(svg, "dot", percent(estimate), percent(estimate), at + 0.5, at + 0.5);
  return holds;
}

/** Draw all classes of a slide anew, a few at a time; `done` is called once all are there. */
export function drawAgain(slide, done) {
  const holder = slide.querySelector("[data-again]");
  const svg = holder.querySelector("svg");
  const result = holder.querySelector("[data-result]");
  // Lines that an earlier visit drew have counts of their own.
  const count = holder.querySelector("span[data-count]");
  const design = JSON.parse(holder.dataset.again);
  const run = (Number(holder.dataset.run) || 0) + 1;
  // What an earlier visit still draws ends by itself.
  holder.dataset.run = run;
  svg.replaceChildren();
  count.textContent = "";
  let drawn = 0;
  let held = 0;
  const more = () => {
    if (Number(holder.dataset.run) !== run || slide.hidden) return;
    const until = still.matches ? design.classes : Math.min(design.classes, drawn + A_FRAME);
    for (; drawn < until; drawn += 1) held += drawOne(svg, design, drawn);
    if (drawn < design.classes) {
      result.textContent = fill(holder.dataset.drawn, { drawn, classes: design.classes });
      requestAnimationFrame(more);
      return;
    }
    line(svg, "truth", percent(design.share), percent(design.share), 0, design.classes);
    holder.dataset.intervals = held;
    count.textContent = held;
    result.textContent = fill(holder.dataset.held, { held, classes: design.classes });
    done();
  };
  more();
}
