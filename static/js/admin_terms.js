// Shows of the second step only what the chosen mechanism reads; without this script all fields are there.
//
// A field that is hidden is not sent, so that nothing typed before another mechanism was chosen counts.

const optional = ["outcome", "groups", "answer", "share", "how_many", "bound", "delta"];
const mechanisms = [...document.querySelectorAll("input[name=mechanism]")];
const unit = document.querySelector("select[name=unit]");

function show() {
  const chosen = mechanisms.find((mechanism) => mechanism.checked);
  if (!chosen) return;
  const read = chosen.dataset.fields.split(" ");
  for (const name of optional) {
    const row = document.querySelector(`[data-field=${name}]`);
    if (!row) continue;
    row.hidden = !read.includes(name);
    for (const control of row.querySelectorAll("input, select")) control.disabled = row.hidden;
  }
  const units = chosen.dataset.units.split(" ");
  for (const option of unit.options) option.hidden = option.disabled = !units.includes(option.value);
  if (unit.selectedOptions[0]?.disabled ?? true) unit.value = units.at(-1);
}

for (const mechanism of mechanisms) mechanism.addEventListener("change", show);
addEventListener("pageshow", show);
show();

// The picture of an ε: the server draws it, from public numbers, again and again while the slider moves or an ε is typed.

const PAUSE = 200;
const form = document.querySelector("[data-terms]");
const wanted = document.getElementById("id_wanted");
const slide = document.getElementById("slide");
const typed = document.getElementById("id_epsilon");
const steps = slide?.dataset.steps.split(" ") ?? [];
let waiting;
let asking;

function ask() {
  clearTimeout(waiting);
  waiting = setTimeout(draw, PAUSE);
}

async function draw() {
  asking?.abort();
  asking = new AbortController();
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (["survey", "questions", "mechanism", "epsilon", "delta"].includes(name)) query.append(name, value);
  }
  if (!typed.value && slide) query.set("epsilon", steps[slide.value]);
  try {
    const answer = await fetch(`${location.pathname}?${query}`, { signal: asking.signal });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const drawn of document.querySelectorAll("[data-drawn]")) {
      const fresh = page.querySelector(`[data-drawn="${drawn.dataset.drawn}"]`);
      if (fresh) drawn.replaceChildren(...fresh.childNodes);
    }
  } catch {
    // Another drawing is on its way, or the server cannot be reached: what is there stays.
  }
}

function nameStep() {
  slide.setAttribute("aria-valuetext", `ε ${steps[slide.value]}`);
}

if (slide) {
  slide.closest(".slide").hidden = false;
  const exact = typed.closest("details");
  exact.open = "needed" in exact.dataset;
  // The field says what the slider shows, unless an accuracy is wanted instead.
  if (!typed.value && !wanted.value) typed.value = steps[slide.value];
  nameStep();
  slide.addEventListener("input", () => {
    typed.value = steps[slide.value];
    wanted.value = "";
    nameStep();
    ask();
  });
  typed.addEventListener("input", () => {
    const number = Number(typed.value);
    if (!(number > 0)) return;
    slide.value = steps.filter((step) => Number(step) < number).length;
    nameStep();
  });
}
typed.addEventListener("input", ask);
wanted.addEventListener("input", () => {
  typed.value = "";
});
// What the slider shows is what is sent, unless an accuracy is wanted instead.
form.addEventListener("submit", () => {
  if (slide && !typed.value && !wanted.value) typed.value = steps[slide.value];
});
document.getElementById("id_delta")?.addEventListener("input", ask);
for (const mechanism of mechanisms) mechanism.addEventListener("change", ask);
