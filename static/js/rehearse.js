// Lets simulated people answer, step by step, until all have: each step is one request of about half a second.
//
// A step that is sent twice goes on twice; who has answered is known to the server alone, so nobody answers again.

const PAUSE_MS = 1000;
const TRIES = 4;
const QUARTERS = 4;

const form = document.getElementById("steps");
const bar = document.getElementById("progress");
const words = document.getElementById("progress-words");
const said = document.getElementById("said");
const failed = document.getElementById("failed");
const button = form.querySelector("button");
const quarter = () => Math.floor((QUARTERS * bar.value) / bar.max);

async function step() {
  const headers = { Accept: "application/json" };
  const response = await fetch(form.action, { method: "POST", body: new FormData(form), headers, redirect: "error" });
  // Discarded elsewhere: the page says what to do now.
  if (response.status === 410) return true;
  if (!response.ok) throw new Error(response.status);
  const told = await response.json();
  const before = quarter();
  bar.value = told.sent;
  words.textContent = told.said;
  if (quarter() > before) said.textContent = told.said;
  return told.done;
}

async function run() {
  button.hidden = true;
  failed.hidden = true;
  for (let tries = 0; tries < TRIES; ) {
    try {
      if (await step()) return location.reload();
      tries = 0;
    } catch {
      tries += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tries));
    }
  }
  button.hidden = false;
  failed.hidden = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
run();
