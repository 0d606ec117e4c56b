// The presentation: one slide at a time, by keys, by buttons, and by the address, so that a reload stays.
//
// Everything that is shown stands in the page already; this shows one part of it and says it aloud.

import { animate, settle } from "./present_reveal.js";
import { drawAgain } from "./present_again.js";
import { follow, pause } from "./present_live.js";

const DIGITS_MS = 900;
const KEYS = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next", " ": "next", Enter: "next",
  ArrowLeft: "back", ArrowUp: "back", PageUp: "back",
  Home: "first", End: "last", b: "blank", B: "blank", ".": "blank", f: "full", F: "full", "?": "help",
  n: "following", N: "following", p: "before", P: "before",
};

const page = document.documentElement;
const words = JSON.parse(document.getElementById("words").textContent);
const said = document.getElementById("said");
const place = document.getElementById("place");
const keys = document.getElementById("keys");
const live = document.getElementById("live");
const box = document.getElementById("slides");
const toQuestions = document.querySelectorAll("[data-do=before], [data-do=following]");
let shown;
let digits = "";
let digitsTimer;

const slides = () => [...document.querySelectorAll("[data-slide]")];
const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
const isFigure = (id) => id.startsWith("reveal-");

/** What a slide says, as somebody who does not see it hears it. */
function spoken(slide) {
  const parts = slide.querySelectorAll("h2, .count, .says, .code, .lead-line, .bars li:not(.axis), .held");
  return [...parts].map((part) => part.textContent.replace(/\s+/g, " ").trim()).filter(Boolean).join(" · ");
}

function show(id, { quiet = false } = {}) {
  const all = slides();
  const slide = all.find((one) => one.id === id) ?? all[0];
  const before = shown;
  const focusWasInside = document.activeElement?.closest?.("[data-slide]");
  for (const one of all) one.hidden = one !== slide;
  shown = slide.id;
  for (const button of toQuestions) button.hidden = !all.some((one) => isFigure(one.id));
  place.textContent = fill(words.place, { number: all.indexOf(slide) + 1, all: all.length });
  if (location.hash !== `#${shown}`) history.replaceState(null, "", `#${shown}`);
  box.scrollTop = 0;
  fit();
  settle(slide);
  const forwards = all.findIndex((one) => one.id === before) < all.indexOf(slide);
  if (before && before !== shown && forwards) animate(slide);
  if (slide.dataset.step === "again") drawAgain(slide, () => shown === slide.id && say(slide));
  if (!quiet) say(slide);
  // Focus that would vanish goes to what is shown instead; on a button it stays there.
  if (focusWasInside && focusWasInside !== slide) {
    const heading = slide.querySelector("h2");
    heading.tabIndex = -1;
    heading.focus();
  }
  if (isFigure(shown)) pause();
  else if ("live" in live.dataset) follow(live, refreshed, words.old, said);
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
  show(here, { quiet: here !== "answering" });
}

function step(by) {
  const all = slides();
  const at = all.findIndex((one) => one.id === shown) + by;
  if (at >= 0 && at < all.length) show(all[at].id);
}

const questionOf = ({ id }) => Number(id.split("-")[1] ?? 0);

// Before the first question there is how to join and who answers: number 0, to which no question leads back.
function toQuestion(by) {
  const all = slides();
  const here = questionOf(all.find((one) => one.id === shown));
  const there = all.find((one) => isFigure(one.id) && questionOf(one) === here + by);
  if (there) show(there.id);
}

const DO = {
  next: () => step(1),
  back: () => step(-1),
  following: () => toQuestion(1),
  before: () => toQuestion(-1),
  first: () => show(slides()[0].id),
  last: () => show(slides().at(-1).id),
  blank: () => {
    const blank = page.classList.toggle("blank");
    said.removeAttribute("lang");
    if (blank) said.textContent = words.blank;
    else say(document.getElementById(shown));
  },
  full: () => (document.fullscreenElement ? document.exitFullscreen() : page.requestFullscreen())?.catch(() => {}),
  help: () => (keys.open ? keys.close() : keys.showModal()),
};

// Digits typed soon after each other are one number: 1 and 2 are question 12.
function digit(key) {
  clearTimeout(digitsTimer);
  digits += key;
  const id = `reveal-${Number(digits)}-1`;
  if (document.getElementById(id)) show(id);
  digitsTimer = setTimeout(() => (digits = ""), DIGITS_MS);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
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

page.classList.add("presenting");
document.getElementById("tools").hidden = false;
if (!document.fullscreenEnabled) document.querySelector("[data-do=full]").hidden = true;
show(location.hash.slice(1), { quiet: true });
