// Keeps the count and the figures current while nothing of them is being shown; they change in batches only.
//
// The answer is parsed by the request itself, which is no way for text to become a script.

const PAUSE_MS = 2500;
const JITTER_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

let timer;
let failures = 0;
let current;

function ask(url, etag) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.responseType = "document";
    request.setRequestHeader("If-None-Match", etag);
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", reject);
    request.send();
  });
}

async function look() {
  const { live, refreshed, old, said } = current;
  const asked = current;
  try {
    const answer = await ask(live.dataset.url, live.dataset.etag);
    // A presenter who has gone on to the figures sees those that stood there.
    if (current !== asked) return;
    // A presenter who has to sign in again is sent elsewhere.
    if (answer.status === 200 && answer.responseXML && answer.responseURL.endsWith(live.dataset.url)) {
      live.replaceChildren(...document.importNode(answer.responseXML.body, true).childNodes);
      live.dataset.etag = answer.getResponseHeader("ETag") ?? "";
      refreshed();
    } else if (answer.status !== 304) {
      throw new Error(answer.status);
    }
    failures = 0;
  } catch {
    failures += 1;
    if (failures === 3) said.textContent = old;
  }
  later();
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
