// From the promise to the receipt, one step at a time.
//
// A true answer exists in one place only: a button's aria-checked, or a number's field without a name or form. It is
// read once, inside flip(), and cleared there. Browsers write radio buttons and boxes to disk, whether or not a form
// owns them, and bring them back; what a button shows they leave alone. What is remembered afterwards are reports, which
// the server receives anyway; where no device randomizes the controls hold them from the start. What was drawn is
// shown nowhere. All texts come from the page.
//
// Phones of 2020 run this: nothing that came to browsers later.

import { drawBelow, drawNumberReport, drawReport } from "./randomizer.js";

const LEFT_OUT = "-";
const PATIENCE_MS = 20_000;
// After these waits, each varied at random so that a whole class does not come back at once, the page gives up.
const WAITS_MS = [2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000, 30_000];
const TRY_LATER = [408, 425, 429];
// Millionths are whole numbers that a double holds exactly, up to the largest answer.
const NUMBER = /^(-?)(\d{1,10})(?:[.,](\d{1,6}?)0*)?$/;
const LIKE_THOUSANDS = /[.,]\d{3}$/;

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const [words, definition] = ["words", "definition"].map(read);
// The practice comes first; its report goes nowhere.
const asked = [definition.practice, ...definition.questions];
const stepsInOrder = () => [...document.querySelectorAll("[data-step]")];
let steps = stepsInOrder();
// In the order of the definition, as `asked` and `reports`, whatever is shown first; so are the rows of options.
const sections = [...document.querySelectorAll("[data-question]")];
// Before a question randomized in the head stand steps that only lead to it.
const leadsTo = (section) => {
  let index = steps.indexOf(section);
  while (steps[index - 1].matches("[data-lead]")) index -= 1;
  return index;
};
const headingOf = (step) => step.querySelector("h1:not([hidden])");
const rows = sections.map((section) => [...section.querySelectorAll("[data-option]")]);
const language = document.documentElement.lang;
const plurals = new Intl.PluralRules(language);
const title = document.title;
const form = document.getElementById("sending");
const review = steps[steps.length - 1];
// What the question before sends.
const flipped = document.getElementById("flipped") ?? review.querySelector(".result");
const isAlone = definition.questions.length === 1;
// In the editor's frame, where a step in the browser's history would be one of the page around it.
const preview = document.querySelector("[data-start]");
const reports = asked.map(() => null);
const [RADIO, BOX] = ["[role=radio]", "[role=checkbox]"];
const CHOSEN = "[aria-checked=true]";
let current = 0;

if (!preview) sections.forEach(shuffleOptions);
if (definition.randomOrder && !preview) shuffleQuestions();
steps = stepsInOrder();
// The questions as they are asked, and of several options their places in the reports as they are shown.
const order = steps.map((step) => sections.indexOf(step)).filter((index) => index > 0);
const places = sections.map((section, index) => [...section.querySelectorAll("[data-option]")].map((row) => rows[index].indexOf(row)));

// Random order is drawn here once a page, and nothing of it is stored or sent.

/** Put blocks into a random order, each as likely as any other. */
function shuffle(blocks) {
  const left = [...blocks];
  const drawn = blocks.map(() => left.splice(drawBelow(left.length), 1)[0]);
  const [last] = blocks[blocks.length - 1].slice(-1);
  const [parent, next] = [last.parentNode, last.nextSibling];
  for (const part of drawn.flat()) parent.insertBefore(part, next);
  return drawn;
}

function shuffleQuestions() {
  const blocks = sections.slice(1).map((section) => {
    const block = steps.slice(leadsTo(section), steps.indexOf(section) + 1);
    return block.filter((step) => step.id !== "consent"); // it comes first, whatever is asked first
  });
  const headsOf = (block) => block.map((step) => step.querySelector(".step-head span"));
  const numbers = blocks.map((block) => headsOf(block)[0].textContent);
  shuffle(blocks).forEach((block, place) => headsOf(block).forEach((head) => (head.textContent = numbers[place])));
}

function shuffleOptions(section, index) {
  const shuffled = rows[index].length ? rows[index] : [...section.querySelectorAll(`[data-controls] ${RADIO}`)];
  // “Prefer not to say” stays below the options.
  const { randomOrder } = asked[index];
  if (randomOrder) shuffle(shuffled.slice(0, randomOrder).map((option) => [option]));
}

function filled(text, values) {
  return text.replace(/%\((\w+)\)s/g, (_, name) => values[name].toLocaleString(language));
}

function counted(forms, count, values = {}) {
  return filled(forms[plurals.select(count)] ?? forms.other, { count, ...values });
}

function say(place, text) {
  Object.assign(place, { textContent: text, hidden: text === "" });
}

// Steps. Back and Forward go through them too; a history entry holds a step's number alone.

function show(index, fresh = 0) {
  // Once sending was tried the reports may have arrived: nothing may change them.
  current = sender.tried ? steps.length - 1 : Math.min(index, reachable());
  while (isPassedOver(steps[current])) current += 1;
  const step = steps[current];
  clearControls();
  steps.forEach((other) => (other.hidden = other !== step));
  reopen(0); // the practice is kept for no step
  if (step === review) listReports();
  else sender.rest();
  flipped.classList.toggle("settling", fresh > 0);
  if (!isAlone) {
    // The review says it of all.
    flipped.hidden = fresh === 0 || step === review;
    if (!flipped.hidden) tell(flipped, fresh);
    else hush(flipped);
  }
  headingOf(step).focus();
  scrollTo(0, 0);
}

function go(index, fresh) {
  if (!preview) history.pushState(index, "");
  show(index, fresh);
}

// Whom a question is asked can depend on what was tapped at an earlier one.

function isAsked(index) {
  const { askedIf } = asked[index];
  return !askedIf || askedIf.codes.some((code) => reports[askedIf.question] === code.toString(36));
}

/** What is sent for a question; what was flipped stays where it is asked no more, so that nothing is flipped twice. */
function reportOf(index) {
  return isAsked(index) ? reports[index] : LEFT_OUT.repeat(asked[index].items);
}

function isPassedOver(step) {
  const index = sections.findIndex((section) => steps.slice(leadsTo(section), steps.indexOf(section) + 1).includes(step));
  return index > 0 && !isAsked(index);
}

function reachable() {
  const open = order.find((index) => isAsked(index) && reports[index] === null);
  return steps.indexOf(sections[open] ?? review);
}

function clearControls() {
  for (const number of document.querySelectorAll("[data-limits]")) Object.assign(number, { value: "", disabled: false });
  for (const box of document.querySelectorAll(BOX)) mark([box]);
  for (const group of document.querySelectorAll("[role=radiogroup]")) mark([...group.querySelectorAll(RADIO)]);
  for (const said of document.querySelectorAll("[data-check] [role=status]")) {
    said.hidden = true;
    said.querySelector(".verdict").textContent = ""; // it shows what was answered
  }
  for (const section of sections) complain(section, "");
}

function flip(index) {
  const [section, question] = [sections[index], asked[index]];
  if (reports[index] !== null && !reports[index].startsWith(LEFT_OUT)) return;
  const chosen = choices(index);
  if (chosen === null) return;
  reports[index] = chosen.map((choice) => report(question, choice).toString(36)).join("");
  forgetChoice(section, question);
  settle(index);
  if (index > 0) return go(current + 1, index);
  section.classList.add("settling");
  section.querySelector("[data-next]").focus();
}

function report(question, { code, stepsTo }) {
  if (!question.columns) return code; // tapped: it was randomized in somebody's head, or is unprotected
  return stepsTo === undefined
    ? drawReport(question.columns, question.denominator, code)
    : drawNumberReport(question.columns, question.denominator, question.range.steps, stepsTo, drawBelow, question.range.cells);
}

function forgetChoice(section, question) {
  clearControls();
  // What was drawn cannot be chosen again, so the controls do not come back; only the practice and taps come back.
  if (section !== sections[0] && question.columns) section.querySelector("[data-controls]").remove();
}

function settle(index) {
  const isTaken = reports[index] !== null && !isLeftOut(index);
  for (const part of sections[index].querySelectorAll("[data-before]")) part.hidden = isTaken;
  for (const part of sections[index].querySelectorAll("[data-after]")) part.hidden = !isTaken;
  if (isTaken) tell(sections[index], index);
  else hush(sections[index]);
}

function isLeftOut(index) {
  return reports[index]?.startsWith(LEFT_OUT);
}

/** Say what a question's report is and shows, from the report alone; nothing where there is none. */
function tell(place, index) {
  hush(place);
  if (reports[index] === null || !place.querySelector(".sends")) return;
  const { columns, reports: labels, differs, often, follows, lit } = asked[index];
  const sends = place.querySelector(".sends");
  if (isLeftOut(index)) return (sends.textContent = words.youSkip);
  const told = [...reports[index]].map((code) => parseInt(code, 36));
  const different = [...new Set(told)];
  const hasOptions = rows[index].length > 0;
  const form = index === 0 ? "wouldSend" : (columns ? "phoneSends" : "youSend") + (place.id === "flipped" ? "For" : "");
  sends.textContent = filled(words[form], { number: order.indexOf(index) + 1, report: hasOptions ? (place.id === "flipped" ? inShort(places[index].map((shown) => told[shown]), labels) : "") : labels[told[0]] }).trim();
  place.querySelector(".differs").textContent = differs;
  if (hasOptions) place.querySelector(".report").append(...inWords(index));
  const tells = place.querySelector(".tells");
  for (const [share, rest] of different.map((code) => often[code])) tells.append(element("strong", share), ` ${rest} `);
  tells.append([...new Set(different.map((code) => follows[code]))].join(" "));
  for (const part of place.querySelectorAll(".coins, .fallen")) part.toggleAttribute("hidden", !columns);
  if (different.length > 1 || !lit.length) return;
  const { chance, rest, path } = lit[told[0]];
  place.querySelector(".owners").removeAttribute("hidden");
  place.querySelector(".rest").setAttribute("fill", `url(#dot-${rest})`);
  for (const part of place.querySelectorAll(".by-chance")) part.setAttribute("d", path);
  place.querySelector(".by-chance:not(.under)").setAttribute("fill", `url(#dot-${chance})`);
}

/** Several options in the folded line: all, or how many have a Yes where they are many. */
function inShort(told, labels) {
  if (told.length <= 3) return told.map((code) => labels[code]).join(", ");
  return filled(words.yesToSome, { count: told.filter((code) => code === 1).length, all: told.length });
}

function hush(place) {
  for (const part of place.querySelectorAll(".sends, .differs, .report, .tells")) part.replaceChildren();
  for (const part of place.querySelectorAll(".coins, .fallen, .owners")) part.setAttribute("hidden", "");
  for (const path of place.querySelectorAll(".by-chance")) path.removeAttribute("d");
  for (const path of place.querySelectorAll(".rest, .by-chance:not(.under)")) path.removeAttribute("fill");
}

// Back to choosing: only for the practice, and for taps as long as nothing was sent.
function reopen(index) {
  reports[index] = null;
  settle(index);
  sections[index].classList.remove("settling");
  return sections[index];
}

function leaveOut(index) {
  reports[index] = LEFT_OUT.repeat(asked[index].items);
  go(steps.indexOf(sections[index]) + 1);
}

/** One choice for each item, or null when something is missing, which is then said. */
function choices(index) {
  const [section, question] = [sections[index], asked[index]];
  const options = rows[index];
  const codes = options.map((option) => ({ code: Number(option.matches(CHOSEN)) }));
  if (codes.some(({ code }) => code)) return codes;
  const parts = options.length ? options : [section];
  const chosen = parts.flatMap((part) => [...part.querySelectorAll(`[data-controls] ${CHOSEN}`)]);
  const number = section.querySelector("[data-limits]");
  if (number && !chosen.length) return numberChosen(section, question, number);
  const missing = question.items - chosen.length;
  if (missing === 0) return chosen.map((choice) => ({ code: Number(choice.value) }));
  const groups = [...section.querySelectorAll("[data-controls] [role=radiogroup]")];
  const first = groups.find((group) => !group.querySelector(CHOSEN)).querySelector(RADIO);
  complain(section, groups.length > 1 ? counted(words.optionsMissing, missing) : words.nothingChosen, first);
  return null;
}

function numberChosen(section, { range }, control) {
  const text = control.value.replace(/[\s'’]/g, "").replace("−", "-");
  const [value, low, high, step] = [text, range.low, range.high, range.step].map(millionths);
  const whole = step % 10_000 === 0 && low % 10_000 === 0;
  let wrong = "";
  if (text === "") wrong = words.numberMissing;
  else if (Number.isNaN(value)) wrong = words.notANumber;
  else if (whole && LIKE_THOUSANDS.test(text)) wrong = words.likeThousands;
  else if (value < low || value > high) wrong = words.outside;
  else if ((value - low) % step !== 0) wrong = words.notAStep;
  if (wrong === "") return [{ stepsTo: (value - low) / step }];
  complain(section, filled(wrong, range), control);
  return null;
}

function millionths(text) {
  const [, sign, whole, decimals = ""] = NUMBER.exec(text) ?? [];
  return whole === undefined ? NaN : Number(sign + whole + decimals.padEnd(6, "0"));
}

// Choices, with the keys of the ARIA Authoring Practices.

/** Mark one of these, or none, as chosen; Tab leads to it, else to the first. */
function mark(choices, chosen) {
  for (const choice of choices) {
    choice.setAttribute("aria-checked", choice === chosen);
    choice.tabIndex = choice === (chosen ?? choices[0]) ? 0 : -1;
  }
}

function choose(choice) {
  const isBox = choice.matches(BOX);
  mark(isBox ? [choice] : groupOf(choice), isBox && choice.matches(CHOSEN) ? null : choice);
  choice.dispatchEvent(new Event("choice", { bubbles: true }));
}

function groupOf(choice) {
  return [...choice.closest("[role=radiogroup]").querySelectorAll(RADIO)];
}

function moveByArrow(event) {
  const choice = event.target;
  const against = getComputedStyle(choice).direction === "rtl" ? -1 : 1;
  const by = { ArrowDown: 1, ArrowUp: -1, ArrowRight: against, ArrowLeft: -against }[event.key];
  if (!by || !choice.matches(RADIO) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault(); // the page would scroll
  const group = groupOf(choice);
  const next = group[(group.indexOf(choice) + by + group.length) % group.length];
  next.focus();
  choose(next);
}

/** A number key chooses the answer at that place; not where each option has its own answers. */
function chooseByNumber(event) {
  const groups = event.target.closest?.("[data-step]")?.querySelectorAll("[role=radiogroup]");
  if (groups?.length !== 1 || event.target.matches("input") || event.ctrlKey || event.altKey || event.metaKey) return;
  const choice = groups[0].querySelectorAll(RADIO)[event.key - 1];
  if (!choice || choice.closest("[hidden]")) return;
  choice.focus();
  choose(choice);
}

function complain(section, text, control) {
  const place = section.querySelector(".choose-first");
  if (place) say(place, text);
  document.title = text ? filled(words.errorTitle, { title }) : title;
  section.querySelector("[data-limits]")?.setAttribute("aria-invalid", text !== "");
  control?.focus();
}

function inWords(index) {
  const told = [...reports[index]].map((code) => asked[index].reports[parseInt(code, 36)] ?? words.leftOut);
  if (!rows[index].length || isLeftOut(index)) return [ofAuthor("strong", told[0])];
  const list = element("ul", "", "reports");
  for (const place of places[index]) {
    const line = element("li", "");
    line.append(element("bdi", rows[index][place].dataset.option), " ", ofAuthor("strong", told[place]));
    list.append(line);
  }
  return [list];
}

function element(name, text, className = "") {
  return Object.assign(document.createElement(name), { textContent: text, className });
}

/** A survey owner's words may run in another direction than the page. */
function ofAuthor(name, text) {
  return Object.assign(element(name, text), { dir: "auto" });
}

function listReports() {
  // What was flipped cannot be taken back, only left.
  review.querySelector(".step-head").hidden = sender.tried || (isAlone && Boolean(asked[1].columns) && !isLeftOut(1));
  if (isAlone) tell(review, 1);
  else document.getElementById("reports").replaceChildren(...order.filter(isAsked).map(reportLine));
  const isSkipped = countAnswered() === 0;
  for (const part of review.querySelectorAll("[data-answered]")) part.hidden = isSkipped;
  for (const part of review.querySelectorAll("[data-skipped]")) part.hidden = !isSkipped;
  form.elements.reports.value = asked.map((_, index) => reportOf(index)).slice(1).join("");
  sender.button.textContent = sendWords();
  const fields = [...new FormData(form)].map(([name, value]) => `${name}: ${value}`);
  document.getElementById("payload").textContent = fields.join("\n");
}

function reportLine(index, place) {
  const section = sections[index];
  const heading = section.querySelector("h1");
  const line = element("li", "");
  line.append(element("bdi", heading.dataset.asked ?? heading.textContent), " ", ...inWords(index));
  const mark = section.querySelector("[data-unprotected]");
  if (mark) line.append(Object.assign(mark.cloneNode(true), { id: `mark-${place}` }));
  return line;
}

function countAnswered() {
  return order.filter((index) => isAsked(index) && !isLeftOut(index)).length;
}

function sendWords() {
  const answered = countAnswered();
  if (answered === 0) return words.send;
  if (!isAlone || rows[1].length) return counted(words.sendAnswers, isAlone ? (asked[1].answers ?? rows[1].length) : answered);
  return filled(words.sendReport, { report: asked[1].reports[parseInt(reports[1], 36)] });
}

// Sending: the same fields again and again, one-time number included, so that arriving twice counts once.

// Tabs of one browser send in turn: the second finds that an answer was sent. Plain HTTP knows no locks.
const inTurn = (send) => navigator.locks?.request(location.pathname.split("/", 3).join("/"), send) ?? send();

const sender = {
  button: form.querySelector("[type=submit]"),
  problem: document.getElementById("problem"),
  waiting: document.getElementById("waiting"),
  stopButton: document.getElementById("stop"),
  tried: false,
  arrived: false,
  busy: false,
  failures: 0,
  ticking: 0,
  waitsForNetwork: false,

  press() {
    // Browsers may be wrong about being offline.
    if (navigator.onLine || this.waitsForNetwork) this.attempt();
    else this.waitForNetwork();
  },

  async attempt() {
    if (this.busy) return;
    this.rest();
    this.busy = this.tried = true;
    // It may have left the phone now: nothing may be changed or said of it.
    for (const part of [review.querySelector(".step-head"), document.getElementById("unsent")]) part.hidden = true;
    this.button.textContent = words.sending;
    await added;
    const answer = await inTurn(() => this.post());
    if (answer?.status < 400) {
      this.arrived = true;
      return this.receive ? this.receive(answer) : location.replace(answer.receipt); // still busy
    }
    this.busy = false;
    return answer ? this.refused(answer) : this.failed();
  },

  /** What the server says, as far as it is final; null where trying again may help. */
  async post() {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
    try {
      const response = await fetch(form.action, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams(new FormData(form)),
        signal: patience.signal,
      });
      const { status } = response;
      if (status >= 500 || TRY_LATER.includes(status)) return null;
      // A hotel's sign-in page, say, answers too, but not in our words.
      const said = { error: filled(words.refused, { status }), ...(await response.json().catch(() => {})), status };
      return status >= 400 || said.receipt ? said : null;
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  },

  refused({ status, receipt, error }) {
    this.rest();
    say(this.problem, error);
    this.button.textContent = words.tryAgain;
    if (status !== 409) return;
    this.arrived = true;
    // Others came first: nothing is left to be sent, and these were not taken.
    hush(review);
    for (const part of review.querySelectorAll("[data-answered], [data-skipped], #reports")) part.hidden = true;
    headingOf(review).textContent = words.alreadyAnswered;
    const link = document.getElementById("to-receipt");
    Object.assign(link, { href: receipt ?? link.href, hidden: false });
    this.button.hidden = true;
    link.focus();
  },

  failed() {
    if (!navigator.onLine) this.waitForNetwork();
    else if (this.failures < WAITS_MS.length) this.wait(WAITS_MS[this.failures++]);
    else this.stop(words.gaveUp);
  },

  wait(milliseconds) {
    this.pause(words.notSent);
    const tries = { number: this.failures + 1, most: WAITS_MS.length + 1 };
    const until = Date.now() + milliseconds / 2 + drawBelow(milliseconds);
    const tick = () => {
      const seconds = Math.ceil((until - Date.now()) / 1000);
      if (seconds > 0) say(this.waiting, counted(words.retryIn, seconds, tries));
      else this.attempt();
    };
    this.ticking = setInterval(tick, 250);
    tick();
  },

  waitForNetwork() {
    this.pause(words.offline);
    this.waitsForNetwork = true;
  },

  pause(text) {
    this.rest();
    say(this.problem, text);
    this.button.textContent = words.tryNow;
    this.stopButton.hidden = false;
  },

  stop(text) {
    this.rest();
    this.failures = 0;
    say(this.problem, text);
    this.button.textContent = words.tryAgain;
    this.button.focus();
  },

  rest() {
    clearInterval(this.ticking);
    this.ticking = 0;
    this.waitsForNetwork = false;
    this.stopButton.hidden = true;
    say(this.problem, "");
    say(this.waiting, "");
  },
};

// Credit, which old browsers do without.
const added =
  form.elements.blinded &&
  import("./credit.js")
    .then(({ add }) => add({ sender, steps, show, forget }))
    .catch(() => (document.getElementById("no-credit").hidden = false));

// Leaving the page forgets everything, whether or not the browser keeps the page for its Back button.

function forget() {
  clearControls();
  sender.rest();
  reports.fill(null);
  form.elements.reports.value = "";
  hush(document);
  for (const place of document.querySelectorAll("#reports, #payload")) place.replaceChildren();
}

/** Whether leaving would lose an answer that was chosen or written, or a report. */
function isUnsent() {
  if (preview || sender.arrived) return false;
  const controls = sections.slice(1).flatMap((section) => [...section.querySelectorAll(`${CHOSEN}, [data-limits]`)]);
  return controls.some((control) => control.value !== "") || reports.some((report, index) => index > 0 && report !== null);
}

function onClick(root, selector, action) {
  for (const button of root.querySelectorAll(selector)) button.addEventListener("click", action);
}

sections.forEach((section, index) => {
  for (const change of ["input", "choice"]) section.addEventListener(change, () => complain(section, ""));
  onClick(section, "[data-flip]", () => flip(index));
  for (const step of steps.slice(leadsTo(section), steps.indexOf(section) + 1)) {
    onClick(step, "[data-leave-out]", () => leaveOut(index));
  }
  onClick(section, "[data-reopen]", () => headingOf(reopen(index)).focus());
  onClick(section, "[data-all]", ({ currentTarget }) => {
    section.querySelectorAll(`${RADIO}[value="${currentTarget.dataset.all}"]`).forEach(choose);
  });
  const number = section.querySelector("[data-limits]");
  number?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // or the button would be pressed too, and one flip is all there is
    section.querySelector("[data-flip]").focus();
  });
  section.querySelector("[data-instead]")?.addEventListener("choice", ({ target }) => {
    number.disabled = target.matches(CHOSEN);
    number.value = "";
  });
});
for (const check of document.querySelectorAll("[data-check]")) {
  check.addEventListener("choice", ({ target }) => {
    const place = check.querySelector("[role=status]");
    place.querySelector(".verdict").textContent = target.value === check.dataset.check ? words.right : words.notQuite;
    place.hidden = false;
  });
}
onClick(document, `${RADIO}, ${BOX}`, ({ currentTarget }) => choose(currentTarget));
for (const group of document.querySelectorAll("[role=radiogroup]")) group.addEventListener("keydown", moveByArrow);
document.addEventListener("keydown", chooseByNumber);
onClick(document, "[data-next]", () => go(current + 1));
onClick(document, "[data-practise]", () => go(1));
onClick(document, "[data-skip]", () => go(leadsTo(sections[order[0]])));
onClick(document, "#leave", forget); // so that the browser does not ask whether to stay
onClick(document, "[data-back]", () => (preview ? show(current - 1) : history.back()));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  sender.press();
});
sender.stopButton.addEventListener("click", () => sender.stop(words.stopped));
// A jump within the page, as "Skip to the content" makes one, is no step.
addEventListener("popstate", ({ state }) => (state === null && location.hash) || show(state ?? 0));
addEventListener("online", () => sender.waitsForNetwork && sender.attempt());
addEventListener("offline", () => sender.ticking && sender.waitForNetwork());
addEventListener("beforeunload", (event) => {
  if (!isUnsent()) return;
  event.preventDefault();
  event.returnValue = ""; // older browsers ask for it
});
addEventListener("pagehide", forget);
addEventListener("pageshow", (event) => event.persisted && location.reload());
forget();
if (preview) {
  const [, ...before] = asked.slice(0, Number(preview.dataset.start));
  before.forEach(({ items }, index) => (reports[index + 1] = LEFT_OUT.repeat(items)));
  current = leadsTo(sections[before.length + 1]);
  steps.forEach((step, index) => (step.hidden = index !== current));
}
for (const part of document.querySelectorAll("#begin, #practise, #length")) part.hidden = false;
document.getElementById("unscripted").hidden = true; // the last line: whatever fails before leaves these words
