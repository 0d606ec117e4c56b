// The editor without page loads: rows come, go and move, and the numbers follow the typing.
//
// The numbers come from the server, which reads the posted form as it would to save it: one source for ε and odds.

const PAUSE_MS = 350;

const form = document.getElementById("editor");
const list = document.getElementById("questions");
const said = document.getElementById("said");
const total = form.elements["questions-TOTAL_FORMS"];
let timer;
let request;
let saved = true;

const rows = () => [...list.querySelectorAll("[data-question]")];
const control = (row, name) => row.querySelector(`[name$="-${name}"]`);

// Only what the question's kind and design need is shown; hidden fields are still sent.

function fit(row) {
  const several = control(row, "kind").value === "one_of";
  row.querySelector("[data-options]").hidden = !several;
  const chance = row.querySelector("[data-chance]");
  chance.hidden = control(row, "design").value === "warner" && !chance.querySelector(".errorlist");
  row.querySelector("[data-body]").hidden = control(row, "DELETE").checked;
}

function number() {
  rows().forEach((row, index) => {
    row.querySelector("[data-number]").textContent = `Question ${index + 1}`;
    row.querySelector("[data-dial]").setAttribute("aria-label", `What question ${index + 1} promises and tells`);
    control(row, "ORDER").value = index + 1;
    row.querySelector("[data-up]").disabled = index === 0;
    row.querySelector("[data-down]").disabled = index === rows().length - 1;
  });
}

// Numbers

async function refresh() {
  request?.abort();
  request = new AbortController();
  const body = new URLSearchParams(new FormData(form));
  body.set("action", "refresh");
  try {
    // Not form.action: the buttons that say what to do have that name.
    const response = await fetch(location.pathname, { method: "POST", body, signal: request.signal });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const row of rows()) {
      const name = control(row, "text").name;
      const fresh = page.getElementsByName(name)[0]?.closest("[data-question]");
      const dial = fresh?.querySelector("[data-dial]");
      if (dial) row.querySelector("[data-dial]").replaceChildren(...dial.childNodes);
    }
    const sum = page.getElementById("total");
    if (sum && sum.textContent !== document.getElementById("total").textContent) {
      document.getElementById("total").replaceChildren(...sum.childNodes);
    }
  } catch (error) {
    if (error.name !== "AbortError") said.textContent = "The numbers could not be updated: the server does not answer.";
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, PAUSE_MS);
}

// Rows

function add(event) {
  event.preventDefault();
  if (rows().length >= Number(form.elements["questions-MAX_NUM_FORMS"].value)) {
    said.textContent = "A survey written here can have no more questions.";
    return;
  }
  const row = document.getElementById("empty-question").content.cloneNode(true).firstElementChild;
  for (const element of row.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      if (value.includes("__prefix__")) element.setAttribute(name, value.replaceAll("__prefix__", total.value));
    }
  }
  total.value = Number(total.value) + 1;
  list.append(row);
  wire(row);
  number();
  saved = false;
  control(row, "text").focus();
  soon();
}

function move(row, step) {
  const all = rows();
  const other = all[all.indexOf(row) + step];
  if (!other) return;
  if (step < 0) other.before(row);
  else other.after(row);
  number();
  saved = false;
  const button = row.querySelector(step < 0 ? "[data-up]" : "[data-down]");
  (button.disabled ? row.querySelector(step < 0 ? "[data-down]" : "[data-up]") : button).focus();
  said.textContent = `Moved: it is now question ${rows().indexOf(row) + 1}.`;
}

function wire(row) {
  for (const [name, step] of [["up", -1], ["down", 1]]) {
    const button = row.querySelector(`[data-${name}]`);
    button.hidden = false;
    button.addEventListener("click", () => move(row, step));
  }
  control(row, "ORDER").closest(".field").hidden = true;
  control(row, "kind").addEventListener("change", () => {
    // Several options have one design; the others would be refused.
    if (control(row, "kind").value === "one_of") control(row, "design").value = "k_ary";
  });
  row.addEventListener("change", () => fit(row));
  fit(row);
}

rows().sort((a, b) => control(a, "ORDER").value - control(b, "ORDER").value).forEach((row) => list.append(row));
rows().forEach(wire);
number();
form.querySelector("[data-refresh]").hidden = true;
form.querySelector("[data-add]").addEventListener("click", add);
form.addEventListener("input", () => {
  saved = false;
  soon();
});
form.addEventListener("submit", () => (saved = true));
addEventListener("beforeunload", (event) => saved || event.preventDefault());
document.getElementById("problems")?.focus();
