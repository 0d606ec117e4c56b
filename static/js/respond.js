// From the promise to the receipt, one step at a time.
//
// The true answer exists in one place only: a radio button that no form owns, read once inside flip() and cleared
// there. What the page remembers afterwards are reports, which are what the server will receive anyway.

import { drawBelow, drawReport } from "./randomizer.js";

const LEFT_OUT = "-";
const PATIENCE_MS = 20_000;
const NOT_SENT =
  "Not sent: no proper answer came back. Your reports are still here, unchanged: try again in a moment. " +
  "If it keeps failing, check the network and allow cookies for this site.";

const { items } = JSON.parse(document.getElementById("definition").textContent);
const steps = [...document.querySelectorAll("[data-step]")];
const questions = [...document.querySelectorAll("[data-item]")];
const form = document.getElementById("sending");
const problem = document.getElementById("problem");
const reports = items.map(() => null);
let current = 0;
let sending = false;

// Steps. The browser's own Back and Forward go through them too; a history entry holds the number of its step alone.

function show(index) {
  current = index;
  clearChoices();
  clearDraws();
  steps.forEach((step, position) => (step.hidden = position !== index));
  if (steps[index].id === "review") listReports();
  steps[index].querySelector("h1").focus();
  scrollTo(0, 0);
}

function forward() {
  history.pushState(current + 1, "");
  show(current + 1);
}

function reachable() {
  const open = reports.indexOf(null);
  return open === -1 ? steps.length - 1 : open + 1;
}

function clearChoices() {
  for (const choice of document.querySelectorAll("[name^=truth-]")) choice.checked = false;
  for (const warning of document.querySelectorAll(".choose-first")) warning.hidden = true;
}

// Chance. The number drawn is shown once and dropped: together with the report it could tell the truth.

function clearDraws() {
  for (const place of document.querySelectorAll(".coin, .drawn")) place.textContent = "";
}

function code(report) {
  return report === LEFT_OUT ? LEFT_OUT : report.toString(36);
}

function words(report, item) {
  return report === LEFT_OUT ? "left out" : item.labels[report];
}

function flip(question, index) {
  const chosen = question.querySelector("[name^=truth-]:checked");
  if (reports[index] !== null && reports[index] !== LEFT_OUT) return;
  if (!chosen) {
    question.querySelector(".choose-first").hidden = false;
    question.querySelector("[name^=truth-]").focus();
    return;
  }
  const item = items[index];
  let drawn;
  const below = (bound) => (drawn = drawBelow(bound));
  reports[index] = drawReport(item.columns, item.denominator, Number(chosen.value), below);
  chosen.checked = false;
  question.querySelector(".choosing").remove();
  question.querySelector(".coin").textContent = drawn + 1;
  question.querySelector(".drawn").textContent = `Your phone drew ${drawn + 1} of ${item.denominator}.`;
  question.querySelector(".sends").textContent = "It will send";
  question.querySelector(".report").textContent = words(reports[index], item);
  question.querySelector(".flipped").hidden = false;
  question.querySelector("[data-next]").focus();
}

function leaveOut(index) {
  reports[index] = LEFT_OUT;
  forward();
}

// Sending.

function listReports() {
  const list = document.getElementById("reports");
  list.replaceChildren(
    ...items.map((item, index) => {
      const line = document.createElement("li");
      const report = document.createElement("strong");
      report.textContent = words(reports[index], item);
      line.append(questions[index].querySelector("h1").textContent, " ", report);
      return line;
    }),
  );
  form.elements.reports.value = reports.map(code).join("");
}

function say(text) {
  problem.textContent = text;
  problem.hidden = text === "";
}

async function send(event) {
  event.preventDefault();
  if (sending) return;
  sending = true;
  say("");
  const button = form.querySelector("button");
  button.textContent = "Sending…";
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    const response = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
      signal: patience.signal,
    });
    const { receipt, error } = await response.json();
    if (receipt) {
      location.replace(receipt);
      return;
    }
    say(error);
  } catch {
    say(NOT_SENT);
  } finally {
    clearTimeout(timer);
  }
  sending = false;
  button.textContent = "Try again";
}

// Leaving the page forgets everything, whether or not the browser keeps the page for its Back button.

function forget() {
  clearChoices();
  reports.fill(null);
  form.elements.reports.value = "";
  document.getElementById("reports").replaceChildren();
  clearDraws();
  for (const place of document.querySelectorAll(".sends, .report")) place.textContent = "";
}

questions.forEach((question, index) => {
  question.addEventListener("change", () => (question.querySelector(".choose-first").hidden = true));
  question.querySelector("[data-flip]").addEventListener("click", () => flip(question, index));
  question.querySelector("[data-leave-out]")?.addEventListener("click", () => leaveOut(index));
});
for (const button of document.querySelectorAll("[data-next]")) button.addEventListener("click", forward);
for (const button of document.querySelectorAll("[data-back]")) button.addEventListener("click", () => history.back());
addEventListener("popstate", ({ state }) => show(Math.min(state ?? 0, reachable())));
addEventListener("pagehide", forget);
addEventListener("pageshow", (event) => event.persisted && location.reload());
form.addEventListener("submit", send);
forget();
document.getElementById("begin").hidden = false;
