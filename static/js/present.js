// The presentation: one slide at a time, by keys, by buttons, and by the address, so that a reload stays.
//
// Everything that is shown stands in the page already; this shows one part of it and says it aloud.

import { acts } from "./keys.js";
import { animate, settle } from "./present_reveal.js";
import { drawAgain } from "./present_again.js";
import { catchUp, follow, pause } from "./present_live.js";

const DIGITS_MS = 900;
const IDLE_MS = 3000;
const KEYS = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next", " ": "next", Enter: "next",
  ArrowLeft: "back", ArrowUp: "back", PageUp: "back",
  Home: "first", End: "last", b: "blank", B: "blank", ".": "blank", f: "full", F: "full", "?": "help",
  l: "lesson", L: "lesson", n: "following", N: "following", p: "before", P: "before",
};

const page = document.documentElement;
const words = JSON.parse(document.getElementById("words").textContent);
const said = document.getElementById("said");
const keys = document.getElementById("keys");
const live = document.getElementById("live");
const box = document.getElementById("slides");
const title = document.getElementById("slides-title");
const lessonButton = document.querySelector("[data-do=lesson]");
const tools = document.getElementById("tools");
const moreButton = tools.querySelector("[data-do=more]");
const phones = document.getElementById("phones");
const toQuestions = document.querySelectorAll("[data-do=before], [data-do=following]");
let shown;
let digits = "";
let digitsTimer;
let idleTimer;
// The question whose way from the reports to the result is being explained; 0 while results are shown.
let explained = 0;

const slides = () => [...document.querySelectorAll("[data-slide]")];
const questionOf = ({ id }) => Number(id.split("-")[1] ?? 0);
const isLesson = (slide) => "lesson" in slide.dataset;
// The way that keys walk: a lesson is on it only while somebody wants to see it.
const walk = () => slides().filter((slide) => !isLesson(slide) || questionOf(slide) === explained);
const isFigure = (id) => id.startsWith("reveal-");

const SPOKEN = ".asked, h2, .count, .arrived p, .code, .figure, .between, .says, .bars li:not(.axis), .held";

/** What a slide says, as somebody who does not see it hears it. */
function spoken(slide) {
  const parts = slide.querySelectorAll(SPOKEN);
  return [...parts].map((part) => part.textContent.replace(/\s+/g, " ").trim()).filter(Boolean).join(" · ");
}

function show(id, { quiet = false } = {}) {
  const all = slides();
  // Where too few had answered, the first figures come.
  const slide = all.find((one) => one.id === id) ?? (id === "reveal" ? all.find((one) => isFigure(one.id)) : undefined) ?? all[0];
  if (isFigure(slide.id) && "behind" in live.dataset) {
    catchUp().then(() => show(id, { quiet }));
    return;
  }
  const before = shown;
  const focusWasInside = document.activeElement?.closest?.("[data-slide]");
  for (const one of all) one.hidden = one !== slide;
  // The question is the title of its slide.
  title.classList.toggle("visually-hidden", Boolean(slide.querySelector(".asked")));
  shown = slide.id;
  if (isLesson(slide)) explained = questionOf(slide);
  else if (questionOf(slide) !== explained) explained = 0;
  const lessons = all.some((one) => isLesson(one) && questionOf(one) === questionOf(slide));
  lessonButton.hidden = !lessons;
  lessonButton.textContent = explained ? words.result : words.lesson;
  if (phones) phones.hidden = slide.dataset.step !== "estimate";
  for (const button of toQuestions) button.hidden = !all.some((one) => isFigure(one.id) && questionOf(one) > 1);
  if (location.hash !== `#${shown}`) history.replaceState(null, "", `#${shown}`);
  box.scrollTop = 0;
  fit();
  settle(slide);
  const forwards = all.findIndex((one) => one.id === before) < all.indexOf(slide);
  if (before && before !== shown && forwards) animate(slide);
  if (slide.dataset.step === "again") drawAgain(slide, () => shown === slide.id && say(slide));
  if (!quiet) say(slide);
  // Focus that would vanish goes to what is shown instead; on a button it stays there.
  if (focusWasInside && focusWasInside !== slide) focus(slide);
  if (isFigure(shown)) pause();
  else if ("live" in live.dataset) follow(live, refreshed, words.old, said);
}

function focus(slide) {
  const heading = slide.querySelector("h2");
  heading.tabIndex = -1;
  heading.focus();
}

const scrolls = () => box.scrollHeight > box.clientHeight + 1;

// What is taller than the screen can be scrolled by keys as well, so it can be reached by them.
function fit() {
  if (scrolls()) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
}

function say(slide) {
  said.lang = slide.closest("[lang]").lang;
  said.textContent = spoken(slide);
}

// New figures stand in the page: what is shown stays shown, and is said only where it changed.
function refreshed() {
  const here = shown;
  shown = undefined;
  show(here, { quiet: here !== "answering" && document.getElementById(here) !== null });
}

function step(by) {
  const all = walk();
  const at = all.findIndex((one) => one.id === shown) + by;
  if (at >= 0 && at < all.length) show(all[at].id);
  else turn(by);
}

// Beyond the last slide there is what a button of its own leads to: the first figures, or a lesson's next step.
function turn(by) {
  const button = `[data-turn=${by > 0 ? "next" : "back"}]`;
  (document.getElementById(shown).querySelector(button) ?? document.querySelector(button))?.click();
}

// Before the first question there is how to join and who answers: number 0, to which no question leads back.
function toQuestion(by) {
  const all = slides();
  const here = questionOf(all.find((one) => one.id === shown));
  const there = all.find((one) => isFigure(one.id) && questionOf(one) === here + by);
  if (there) show(there.id);
  else turn(by);
}

// How a result comes about, and back to the result.
function lesson() {
  const here = questionOf({ id: shown });
  const ofQuestion = slides().filter((slide) => isFigure(slide.id) && questionOf(slide) === here);
  const first = ofQuestion.find(isLesson);
  if (!first) return;
  if (!explained) return show(first.id);
  explained = 0;
  show((ofQuestion.find(({ dataset }) => dataset.step === "estimate") ?? ofQuestion.findLast((slide) => !isLesson(slide))).id);
}

// What is pressed hides while nothing moves, and is there at once for mouse, touch, key and focus.
function awake() {
  page.classList.remove("idle");
  clearTimeout(idleTimer);
  idleTimer = setTimeout(() => page.classList.add("idle"), IDLE_MS);
}

const DO = {
  next: () => step(1),
  back: () => step(-1),
  following: () => toQuestion(1),
  before: () => toQuestion(-1),
  first: () => show(slides()[0].id),
  last: () => show(walk().at(-1).id),
  lesson,
  blank: () => {
    const blank = page.classList.toggle("blank");
    said.removeAttribute("lang");
    if (blank) said.textContent = words.blank;
    else say(document.getElementById(shown));
  },
  full: () => (document.fullscreenElement ? document.exitFullscreen() : page.requestFullscreen())?.catch(() => {}),
  // On a phone the tools would hide what is shown, so most of them wait behind this one.
  more: () => moreButton.setAttribute("aria-expanded", tools.classList.toggle("open")),
  help: () => (keys.open ? keys.close() : keys.showModal()),
};

// The first figures of a survey are asked for by a form. They come without leaving the page, which would also end the
// full screen. Where somebody has to sign in again, nothing is shown.
live.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { target: form } = event;
  const slide = form.closest("[data-slide]");
  const focused = form.contains(document.activeElement);
  const { ok, url } = await fetch(location.href, { method: "POST", body: new FormData(form, event.submitter) }).catch(() => ({}));
  // Asked for twice, they have come already: from then on they stand still.
  if (!form.isConnected) return;
  if (!ok || new URL(url).pathname !== location.pathname) {
    said.removeAttribute("lang");
    said.textContent = words.failed;
    return;
  }
  const come = () => {
    refreshed();
    if (shown !== slide.id) return;
    say(document.getElementById(shown));
    if (focused) focus(document.getElementById(shown));
  };
  follow(live, come, words.old, said);
});

// On the phones of those who answered, or no longer: without leaving the slide, which would also end the full screen.
phones?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { target: form } = event;
  const other = form.nextElementSibling ?? form.previousElementSibling;
  // It leads to the survey's page; where somebody has to sign in again, elsewhere.
  const { url } = await fetch(form.action, { method: "POST", body: new FormData(form) }).catch(() => ({}));
  const ok = url === tools.querySelector("a").href;
  said.removeAttribute("lang");
  said.textContent = ok ? form.dataset.done : words.failed;
  if (!ok) return;
  other.hidden = false;
  other.querySelector("button").focus();
  form.hidden = true;
});

// Digits typed soon after each other are one number: 1 and 2 are question 12.
function digit(key) {
  clearTimeout(digitsTimer);
  digits += key;
  const id = `reveal-${Number(digits)}-1`;
  if (document.getElementById(id)) show(id);
  digitsTimer = setTimeout(() => (digits = ""), DIGITS_MS);
}

addEventListener("keydown", (event) => {
  if (!acts(event)) return;
  const name = KEYS[event.key];
  if (keys.open && name !== "help") return;
  // Space and Enter belong to the button that they are pressed on.
  if ((event.key === " " || event.key === "Enter") && event.target.closest?.("button, a[href]")) return;
  if ((event.key === "ArrowDown" || event.key === "ArrowUp") && scrolls() && !page.classList.contains("blank")) return;
  if (page.classList.contains("blank") && (name || /^[0-9]$/.test(event.key))) {
    event.preventDefault();
    DO.blank();
    if (name === "blank") return;
  }
  if (/^[0-9]$/.test(event.key)) digit(event.key);
  else if (name) {
    event.preventDefault();
    DO[name]();
  }
});
document.addEventListener("click", ({ target }) => DO[target.closest?.("[data-do]")?.dataset.do]?.());
addEventListener("hashchange", () => location.hash.slice(1) !== shown && show(location.hash.slice(1)));

addEventListener("resize", fit);
for (const moved of ["pointermove", "pointerdown", "keydown", "focusin", "scroll"]) addEventListener(moved, awake, { capture: true, passive: true });
awake();

page.classList.add("presenting");
tools.hidden = false;
if (!document.fullscreenEnabled) document.querySelector("[data-do=full]").hidden = true;
show(location.hash.slice(1), { quiet: true });
