// "Check us": flips coins in this browser, with the script that answers surveys, and says whether they are fair.
// Nothing is sent. Probabilities and texts come from the page.

import { statistic, survival } from "./chi_squared.js";
import { tally } from "./tally.js";

const { draws, wrong, unusual, designs, words } = JSON.parse(document.getElementById("coins").textContent);
const language = document.documentElement.lang;
const plurals = new Intl.PluralRules(language);
const button = document.getElementById("flip");
const choice = document.getElementById("choice");
const progress = document.getElementById("progress");
const result = document.getElementById("result");
const verdict = document.getElementById("verdict");
let running = false;

function number(value, options) {
  return value.toLocaleString(language, options);
}

function filled(text, values) {
  return text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
}

function counted(forms, count) {
  return filled(forms[plurals.select(count)], { count: number(count) });
}

// The verdict.

function meaning(p) {
  if (p < wrong) return words.never;
  if (p < 0.01) return counted(words.rare, Number((1 / p).toPrecision(2)));
  return counted(words.share, Math.round(100 * p));
}

function judged(p) {
  if (p < wrong) return ["error", words.wrong];
  return p < unusual ? ["warn", words.unusual] : ["fits", words.fits];
}

function say(kind, ...sentences) {
  verdict.className = `notice ${kind}`;
  verdict.replaceChildren(
    ...sentences.map((sentence) => {
      const line = document.createElement("p");
      line.textContent = sentence;
      return line;
    }),
  );
}

// The table.

function row(label, ...cells) {
  const line = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = label;
  line.append(head);
  for (const text of cells) line.insertCell().textContent = text;
  for (const cell of line.cells) cell.classList.toggle("number", cell !== head);
  return line;
}

function show({ denominator, columns, labels }, truth, counts, chosen) {
  const column = columns[truth];
  const expected = column.map((weight) => (draws * weight) / denominator);
  const degrees = column.filter((weight) => weight > 0).length - 1;
  const x = statistic(counts, expected);
  const p = survival(x, degrees);
  const lines = labels.map((label, report) =>
    row(
      label,
      filled(words.chance, { part: number(column[report]), whole: number(denominator) }),
      number(expected[report], { maximumFractionDigits: 1 }),
      number(counts[report]),
    ),
  );
  document.getElementById("counts").replaceChildren(...lines);
  document.getElementById("statistic").textContent = number(x, { maximumFractionDigits: 2 });
  document.getElementById("degrees").textContent = number(degrees);
  document.getElementById("p-value").textContent =
    p < wrong
      ? filled(words.below, { limit: number(wrong, { maximumSignificantDigits: 1 }) })
      : number(p, { maximumSignificantDigits: 2 });
  document.getElementById("chosen").textContent = chosen;
  result.hidden = false;
  const [kind, sentence] = judged(p);
  say(kind, sentence, meaning(p));
}

async function flip() {
  if (running) return;
  running = true;
  const [design, truth] = choice.value.split("-").map(Number);
  const chosen = choice.selectedOptions[0].textContent;
  button.setAttribute("aria-disabled", "true");
  result.hidden = true;
  verdict.replaceChildren();
  verdict.className = "";
  progress.hidden = false;
  progress.value = 0;
  try {
    const counts = await tally(designs[design], truth, draws, (done) => (progress.value = done));
    show(designs[design], truth, counts, chosen);
  } catch {
    say("error", words.failed);
  }
  progress.hidden = true;
  button.removeAttribute("aria-disabled");
  running = false;
}

button.addEventListener("click", flip);
document.getElementById("without-script").hidden = true;
document.getElementById("trying").hidden = false;
