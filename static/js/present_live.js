// Keeps the count and the figures current while nothing of them is being shown; they change in batches only.
//
// The answer is parsed by the request itself, which is no way for text to become a script.

const PAUSE_MS = 2500;
const JITTER_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const LONGEST_WAIT_MS = 10_000;

let timer;
let failures = 0;
let current;
let taking;

function ask(url, etag) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.responseType = "document";
    request.setRequestHeader("If-None-Match", etag);
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", reject);
    request.addEventListener("timeout", reject);
    request.timeout = LONGEST_WAIT_MS;
    request.send();
  });
}

const figuresOf = (live) => `${live.dataset.url}?figures`;

// Figures that stand in the page stay there until they come anew.
function put(live, came) {
  const later = came.querySelector("[data-later]") !== null;
  if (later) for (const slide of came.querySelectorAll("[data-slide]")) document.getElementById(slide.id)?.replaceWith(slide);
  else live.replaceChildren(...came.childNodes);
  live.toggleAttribute("data-behind", later);
}

/** Ask for what is counted by now; whether there was anything new. */
async function bring(url, etag = "") {
  const asked = current;
  const { live, refreshed } = asked;
  const answer = await ask(url, etag);
  // A presenter who has gone on to the figures sees those that stood there.
  if (current !== asked || answer.status === 304) return false;
  // A presenter who has to sign in again is sent elsewhere.
  if (answer.status !== 200 || !answer.responseXML || !answer.responseURL.endsWith(url)) throw new Error(answer.status);
  const came = document.importNode(answer.responseXML.body, true);
  if (came.querySelector("[data-later]") && !live.querySelector("[data-step]")) return bring(figuresOf(live));
  put(live, came);
  live.dataset.etag = answer.getResponseHeader("ETag") ?? "";
  refreshed();
  return true;
}

async function look() {
  const { live, old, said } = current;
  try {
    // Figures take the server many times as long as the count: they come when no answers do.
    const changed = await bring(live.dataset.url, live.dataset.etag);
    if (!changed && current && "behind" in live.dataset) await bring(figuresOf(live));
    failures = 0;
  } catch {
    failures += 1;
    if (failures === 3) said.textContent = old;
  }
  later();
}

async function takeFigures() {
  const { live, old, said } = current;
  try {
    await bring(figuresOf(live));
  } catch {
    said.textContent = old;
  }
  live.removeAttribute("data-behind");
}

/** Have the figures of what is counted, for somebody who goes on to them; else those that stand there. */
export function catchUp() {
  return (taking ??= takeFigures().finally(() => (taking = undefined)));
}

function later() {
  clearTimeout(timer);
  if (document.hidden || !current) return;
  const jitter = (crypto.getRandomValues(new Uint16Array(1))[0] / 2 ** 16) * JITTER_MS;
  timer = setTimeout(look, Math.min((PAUSE_MS + jitter) * 2 ** Math.min(failures, 5), LONGEST_PAUSE_MS));
}

/** Look again and again; `refreshed` is called whenever something has changed. */
export function follow(live, refreshed, old, said) {
  if (current) return;
  current = { live, refreshed, old, said };
  look();
}

/** Leave things as they are. */
export function pause() {
  current = undefined;
  clearTimeout(timer);
}

document.addEventListener("visibilitychange", () => {
  if (!current) return;
  if (document.hidden) clearTimeout(timer);
  else look();
});
