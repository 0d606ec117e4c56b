// A phone in a lesson: goes on when the wall does, and keeps its draw while nothing changes.

import { follow, pause } from "./present_live.js";

// Longer than any lesson: a page that was forgotten asks no more, and its link still leads to what is shown.
const LONGEST_MS = 4 * 60 * 60 * 1000;

const now = document.getElementById("lesson-now");
const stale = document.getElementById("stale");
const form = document.getElementById("controls");
const mine = document.querySelector("#mine form");

follow(now, () => location.replace(now.dataset.address), stale.dataset.old, stale);
setTimeout(pause, LONGEST_MS);

if (form) {
  const here = new URLSearchParams(location.search);
  if (!here.has("seed")) {
    here.set("seed", form.elements.seed.value);
    history.replaceState(null, "", `?${here}`);
  }
}

// The wall computes with what the lesson began with: a draw with other controls is none of its dots.
const moved = () => [...form.elements].some((one) => (one.type === "radio" ? one.checked !== one.defaultChecked : one.type === "range" && one.value !== one.defaultValue));
if (mine) form.addEventListener("input", () => (mine.parentElement.hidden = moved()));
