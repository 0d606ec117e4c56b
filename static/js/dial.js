// The dial beside a question: a slider over the probabilities that the server wrote down, with the words for each.
//
// Nothing is computed here. What the slider says comes from the list beside it, all other numbers come with the next
// answer of the server, which reads the form as it would to save it.

function choose(row, slider, changed) {
  const dial = slider.closest("[data-turn]");
  const turn = dial.querySelectorAll("[data-turns] > li")[Number(slider.value)];
  const field = row.querySelector(`[name$="-${slider.dataset.sets}"]`);
  say(slider);
  if (!field || field.value === turn.dataset.value) return;
  field.value = turn.dataset.value;
  changed();
}

function say(slider) {
  const dial = slider.closest("[data-turn]");
  const turn = dial.querySelectorAll("[data-turns] > li")[Number(slider.value)];
  slider.setAttribute("aria-valuetext", turn.textContent.replace(/\s+/g, " ").trim());
  dial.querySelector("[data-shown]").textContent = turn.dataset.short;
}

// Wires the dial of an open question. `changed` is called when a probability was chosen: once a key was pressed or the
// pointer let go, so that nothing is replaced under a finger. Call it again for a row that is new.

export function attach(row, changed) {
  for (const slider of row.querySelectorAll("[data-turn] input[type=range]")) {
    slider.closest("[data-turn]").hidden = false;
    say(slider);
    slider.addEventListener("input", (event) => {
      // The field follows when the slider rests; its change is the slider's own business.
      event.stopPropagation();
      say(slider);
    });
    slider.addEventListener("change", (event) => {
      event.stopPropagation();
      choose(row, slider, changed);
    });
  }
  for (const heading of row.querySelectorAll("[data-expected]")) expect(heading, changed);
}

// The number of answers expected belongs to the survey; beside the figures that follow from it, it can be typed too.

function expect(heading, changed) {
  const field = document.querySelector("[name=expected_n]");
  const input = Object.assign(document.createElement("input"), { type: "number", min: 1, id: heading.dataset.expected, value: field.value });
  input.setAttribute("aria-label", document.querySelector(`label[for=${field.id}]`).textContent.trim());
  input.addEventListener("input", (event) => event.stopPropagation());
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    input.dispatchEvent(new Event("change"));
  });
  input.addEventListener("change", () => {
    if (field.value === input.value) return;
    field.value = input.value;
    changed();
  });
  heading.querySelector("span").replaceWith(input);
}

// Wires the exact numbers of a row that is new; the slider sets most of them, so they fold themselves.

export function fold(row) {
  const exact = row.querySelector("[data-exact]");
  exact.open = "wrong" in exact.dataset;
  const wished = row.querySelector("[data-wished]");
  // What is wished for changes nothing until it is set.
  wished?.addEventListener("input", (event) => event.stopPropagation());
  // Enter sets this one instead of saving everything.
  wished?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    wished.parentElement.querySelector("button").click();
  });
}

// Puts a dial that the server has drawn anew into the row, and leaves what somebody is holding where it is: the slider
// keeps the focus, and what was unfolded stays so.

export function renew(row, fresh, changed) {
  const old = row.querySelector("[data-dial]");
  const held = old.contains(document.activeElement) ? document.activeElement.id : "";
  const open = [...old.querySelectorAll("details")].map((details) => details.open);
  old.replaceChildren(...fresh.childNodes);
  old.querySelectorAll("details").forEach((details, index) => (details.open = open[index] ?? false));
  attach(row, changed);
  if (held) document.getElementById(held)?.focus({ preventScroll: true });
}
