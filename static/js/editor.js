// The editor without page loads: rows come, go and move, and the numbers follow the typing.
//
// The numbers come from the server, which reads the posted form as it would to save it: one source for ε and odds.

const PAUSE_MS = 350;

const form = document.getElementById("editor");
const list = document.getElementById("questions");
const said = document.getElementById("said");
const total = form.elements["questions-TOTAL_FORMS"];
const suitable = JSON.parse(document.getElementById("suitable").textContent);
const words = JSON.parse(document.getElementById("words").textContent);
let timer;
let request;
let saved = true;

const rows = () => [...list.querySelectorAll("[data-question]")];
const control = (row, name) => row.querySelector(`[name$="-${name}"]`);

const say = (name, values) => words[name].replace(/%\((\w+)\)s/g, (_, value) => values[value]);

// Only what the question's kind and design need is shown; hidden fields are still sent, and not read.

function fit(row) {
  const chosen = new Set([control(row, "kind").value, control(row, "design").value]);
  for (const part of row.querySelectorAll("[data-needs]")) {
    part.hidden = !part.dataset.needs.split(" ").some((name) => chosen.has(name));
  }
  row.querySelector("[data-body]").hidden = control(row, "DELETE").checked;
}

// A design that does not suit the kind, or cannot protect leaving out, would be refused: it is not offered.

function offer(row) {
  const design = control(row, "design");
  const designs = suitable[control(row, "kind").value] ?? [];
  const fitting = control(row, "leave_out").value === "protected" ? designs.filter((name) => name === "k_ary") : designs;
  for (const option of design.options) option.hidden = option.disabled = !fitting.includes(option.value);
  if (fitting.length && !fitting.includes(design.value)) {
    design.value = fitting[0];
    said.textContent = say("design", { design: design.selectedOptions[0].textContent });
  }
}

function number() {
  rows().forEach((row, index) => {
    row.querySelector("[data-number]").textContent = say("question", { number: index + 1 });
    row.querySelector("[data-dial]").setAttribute("aria-label", say("dial", { number: index + 1 }));
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
    if (error.name !== "AbortError") said.textContent = words.noAnswer;
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
    said.textContent = words.noMore;
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
  said.textContent = say("moved", { number: rows().indexOf(row) + 1 });
}

function wire(row) {
  for (const [name, step] of [["up", -1], ["down", 1]]) {
    const button = row.querySelector(`[data-${name}]`);
    button.hidden = false;
    button.addEventListener("click", () => move(row, step));
  }
  control(row, "ORDER").closest(".field").hidden = true;
  for (const details of row.querySelectorAll("details")) {
    // What is shown is needed, so it is open and needs no handle.
    details.open = true;
    details.querySelector("summary").hidden = true;
  }
  for (const name of ["kind", "leave_out"]) control(row, name).addEventListener("change", () => offer(row));
  row.addEventListener("change", () => fit(row));
  offer(row);
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
