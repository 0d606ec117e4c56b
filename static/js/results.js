// Keeps the figures current while the survey is open and somebody looks.
//
// An unchanged survey answers 304 with no body; the pause varies so that many open pages do not ask at once.

const PAUSE_MS = 2000;
const JITTER_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

const figures = document.getElementById("figures");
const said = document.getElementById("said");
const words = JSON.parse(document.getElementById("words").textContent);
const plural = new Intl.PluralRules(document.documentElement.lang);
let etag = figures.dataset.etag;
let failures = 0;
let timer;

// What a reader has opened or stands on is found again by the nearest element that has a name.
const FOCUSABLE = "summary, a[href], button, [tabindex]";
const named = (element) => element.closest("[id]").id;
const opened = () => [...figures.querySelectorAll("details[open]")].map(named);

function standsOn() {
  const active = document.activeElement;
  if (!figures.contains(active) || active === figures) return null;
  const holder = active.closest("[id]");
  return { id: holder.id, place: [...holder.querySelectorAll(FOCUSABLE)].indexOf(active) };
}

// Where the marks of the charts were: those that come in anew start there, and the style sheet moves them on.
const PLACES = ["x", "width", "cx"];
const marks = () => [...figures.querySelectorAll(".figure[id] :is(.band, .point, .raw, .halo)")];
const put = (mark, places) => PLACES.forEach((name, at) => places[at] && mark.setAttribute(name, places[at]));
const places = (mark) => PLACES.map((name) => mark.getAttribute(name));
const drawing = () => marks().map((mark) => mark.getAttribute("class")).join();

function move(before) {
  const after = marks().map(places);
  marks().forEach((mark, number) => put(mark, before[number]));
  figures.getBoundingClientRect();
  requestAnimationFrame(() => marks().forEach((mark, number) => put(mark, after[number])));
}

function replace(page) {
  const open = opened();
  const focused = standsOn();
  const height = figures.offsetHeight;
  const before = figures.querySelector("[data-n]").dataset.n;
  const [drawn, at] = [drawing(), marks().map(places)];
  figures.replaceChildren(...page.body.childNodes);
  if (drawing() === drawn) move(at);
  // With the first figures come the options, which stand outside of them.
  if (!document.getElementById("settings") && figures.querySelector("[data-enough]")) location.reload();
  for (const id of open) document.querySelector(`#${id} details`)?.setAttribute("open", "");
  if (focused) document.getElementById(focused.id)?.querySelectorAll(FOCUSABLE)[focused.place]?.focus({ preventScroll: true });
  // A page that got a little shorter must not pull the reader up.
  figures.style.minBlockSize = `${Math.max(figures.offsetHeight, Math.min(height, innerHeight))}px`;
  const now = figures.querySelector("[data-n]").dataset.n;
  if (now !== before) said.textContent = words.answers[plural.select(Number(now))].replace("%(count)s", now);
}

async function look() {
  try {
    const response = await fetch(figures.dataset.url, { headers: { "If-None-Match": etag }, redirect: "error" });
    if (response.status === 200) {
      replace(new DOMParser().parseFromString(await response.text(), "text/html"));
      etag = response.headers.get("ETag") ?? "";
    } else if (response.status !== 304) {
      throw new Error(response.status);
    }
    failures = 0;
  } catch {
    failures += 1;
    if (failures === 3) said.textContent = words.old;
  }
  later();
}

function later() {
  clearTimeout(timer);
  if (document.hidden) return;
  const jitter = (crypto.getRandomValues(new Uint16Array(1))[0] / 2 ** 16) * JITTER_MS;
  const pause = (PAUSE_MS + jitter) * 2 ** Math.min(failures, 5);
  timer = setTimeout(look, Math.min(pause, LONGEST_PAUSE_MS));
}

if ("live" in figures.dataset) {
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : look()));
  later();
}
