// The editor without page loads: buttons change the list in place, and the numbers and the preview follow the typing.
//
// Every button is one of the form's own. Its answer is the page that a browser without scripts would show; of it only
// the parts that changed are put in place. So the server alone knows what a button does, and ε has one source.

import { attach, fold, renew } from "./dial.js";

const PAUSE_MS = 350;
const PREVIEW_PAUSE_MS = 900;
const SAVE_PAUSE_MS = 2500;
const WIDE = matchMedia("(min-width: 75rem)");
// What follows the questions, by id.
const FOLLOW = ["side-by-side", "lint", "remedy", "wrong", "total"];
// These end on another page, or say on this one why they cannot.
const LEAVES = /^(save|rehearse|open|languages|copy|theirs|over-\d+)$/;

const form = document.getElementById("editor");
const bar = document.querySelector(".editing .bar");
const said = document.getElementById("said");
const saved = document.getElementById("saved");
const trouble = document.getElementById("trouble");
const preview = document.getElementById("preview");
const suitable = JSON.parse(document.getElementById("suitable").textContent);
const words = JSON.parse(document.getElementById("words").textContent);
let typing;
let previewing;
let saving;
let storing;
let changes = 0;
let request;
let acting = false;
let leaving = false;
let frames = 0;

const list = () => document.getElementById("questions");
const isChanged = () => "changed" in form.dataset;
const openRows = () => [...list().querySelectorAll("[data-question]")];
const control = (row, name) => row.querySelector(`[name$="-${name}"]`);
const kindOf = (row) => row.querySelector('[name$="-kind"]:checked')?.value ?? "";

function change() {
  form.dataset.changed = "";
  changes += 1;
  saveSoon();
}

function tell(text) {
  said.textContent = "";
  said.textContent = text;
}

// Only what the question's kind and design need is shown; hidden fields are still sent, and not read.

function fit(row) {
  const chosen = new Set([kindOf(row), control(row, "design").value]);
  for (const part of row.querySelectorAll("[data-needs]")) {
    part.hidden = !part.dataset.needs.split(" ").some((name) => chosen.has(name));
  }
}

// A design that does not suit the kind, or cannot protect skipping, would be refused: it is not offered.

function offer(row) {
  suggest(row);
  const design = control(row, "design");
  const fitting = suitable[kindOf(row)]?.[control(row, "leave_out").value] ?? [];
  for (const option of design.options) option.hidden = option.disabled = !fitting.includes(option.value);
  if (!fitting.length) return;
  // Who asked in the usual way asks in the usual way of another kind as well.
  const given = design.dataset.usual === design.value || !fitting.includes(design.value);
  [design.dataset.usual] = fitting;
  if (!given || design.value === fitting[0]) return;
  [design.value] = fitting;
  tell(words.design.replace("%(design)s", design.selectedOptions[0].textContent));
}

// A probability that nobody chose is the usual one of the kind.

function suggest(row) {
  const [truth, kind] = [control(row, "truth"), row.querySelector('[name$="-kind"]:checked')];
  const usual = kind?.closest(".kind").dataset.truth;
  if (truth.dataset.usual === truth.value) truth.value = usual;
  truth.dataset.usual = usual;
}

function wire(row) {
  for (const details of row.querySelectorAll("details[data-needs]")) {
    // What is shown is needed, so it is open and needs no handle.
    details.open = true;
    details.querySelector("summary").hidden = true;
  }
  for (const choice of row.querySelectorAll('[name$="-kind"], [name$="-leave_out"]')) choice.addEventListener("change", () => offer(row));
  row.addEventListener("change", () => fit(row));
  offer(row);
  fit(row);
  fold(row);
  attach(row, touched);
}

// Asking the server

const parsed = async (response) => new DOMParser().parseFromString(await response.text(), "text/html");

async function post(action) {
  request?.abort();
  request = new AbortController();
  return send(action, request.signal);
}

function send(action, signal) {
  const body = new FormData(form);
  body.set("action", action);
  // Not form.action: the buttons that say what to do have that name.
  const address = form.getAttribute("action") ?? location.pathname;
  return fetch(address, { method: "POST", headers: { "X-Parts": "1" }, body, signal });
}

async function ask(action) {
  let response = await post(action);
  if (response.status === 403) {
    // A survey owner who signed in again elsewhere has a new token; what is typed here is still theirs to save.
    const token = (await parsed(await fetch(location.pathname))).querySelector("[name=csrfmiddlewaretoken]");
    if (token) form.elements.csrfmiddlewaretoken.value = token.value;
    response = await post(action);
  }
  const page = await parsed(response);
  // Where nobody is signed in any more another page answers.
  if (!response.ok || !page.getElementById("parts")) throw new Error("another page");
  trouble.hidden = true;
  return page;
}

function complain(error) {
  if (error.name !== "AbortError") trouble.hidden = false;
}

function swap(page, id) {
  const [fresh, shown] = [page.getElementById(id), document.getElementById(id)];
  if (fresh && shown && fresh.innerHTML !== shown.innerHTML) shown.replaceChildren(...fresh.childNodes);
}

async function refresh() {
  try {
    const page = await ask("refresh");
    for (const row of [...list().children]) {
      const fresh = page.querySelector(`[data-row="${row.dataset.row}"]`);
      // What is being typed is not touched; closed rows hold nothing of it.
      const [shown, numbers] = [row.querySelector("[data-dial]"), fresh?.querySelector("[data-dial]")];
      if (shown && numbers) {
        renew(row, numbers, touched);
      } else if (fresh && !shown && !numbers && !row.contains(document.activeElement)) {
        row.replaceWith(fresh);
        hold(fresh);
      }
    }
    for (const id of FOLLOW) swap(page, id);
    mark();
  } catch (error) {
    complain(error);
  }
}

function touched() {
  change();
  clearTimeout(typing);
  typing = setTimeout(refresh, PAUSE_MS);
  showSoon();
}

// What is wrong is said at the fields that were typed into, in the server's words. An empty one waits until it is left.

const typedInto = new Set();

function mark() {
  const wrong = new Map();
  for (const { dataset, textContent } of document.querySelectorAll("#wrong > li")) {
    wrong.set(dataset.field, [...(wrong.get(dataset.field) ?? []), textContent]);
  }
  // What is wrong is not left folded away.
  for (const id of wrong.keys()) document.getElementById(id)?.closest("[data-exact]")?.setAttribute("open", "");
  for (const id of typedInto) {
    const input = document.getElementById(id);
    const waits = input && !input.value.trim() && input === document.activeElement;
    if (input) complainAt(input, waits ? [] : (wrong.get(id) ?? []));
  }
}

function complainAt(input, messages) {
  const field = input.closest(".field");
  const old = field?.querySelector(".errorlist");
  if (!field || (old?.innerText.trim() ?? "") === messages.join("\n")) return;
  old?.remove();
  input.toggleAttribute("aria-invalid", false);
  const described = new Set((input.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
  described.delete(`${input.id}_error`);
  if (messages.length) {
    const list = document.createElement("ul");
    list.className = "errorlist";
    list.id = `${input.id}_error`;
    list.replaceChildren(...messages.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    input.before(list);
    input.setAttribute("aria-invalid", "true");
    described.add(list.id);
    tell(messages.join(" "));
  }
  input.setAttribute("aria-describedby", [...described].join(" "));
  if (!described.size) input.removeAttribute("aria-describedby");
  settle(input.id);
}

// The summary of a refused save loses what is put right.
function settle(id) {
  const problems = document.getElementById("problems");
  problems?.querySelector(`a[href="#${CSS.escape(id)}"]`)?.closest("li").remove();
  if (problems && !problems.querySelector("li, form, button")) problems.remove();
}

// What the last answer complained about stands only until it is typed anew; the next answer shows whether it is right.

function forgive({ target }) {
  if (!target.id || !target.name) return;
  typedInto.add(target.id);
  complainAt(target, []);
  settle(target.id);
}

// Saving by itself: once nothing was typed for a moment, through the same door as the button; it makes no version.

function saveSoon() {
  clearTimeout(saving);
  saving = setTimeout(store, SAVE_PAUSE_MS);
}

async function store() {
  if (acting || storing || leaving || document.getElementById("problems")) return;
  const before = changes;
  storing = new AbortController();
  try {
    const response = await send("autosave", storing.signal);
    const said = await response.json();
    if (saved.textContent !== said.words) saved.textContent = said.words;
    if (said.revision) {
      form.elements.revision.value = said.revision;
      form.setAttribute("action", said.address);
      if ("new" in form.dataset) {
        delete form.dataset.new;
        history.replaceState(null, "", said.address);
      }
      if (before === changes) delete form.dataset.changed;
    }
  } catch (error) {
    // The next refresh or button shows people that they are signed out or without a network; what is typed stays.
    if (error.name !== "AbortError") saved.textContent = words.unsaved;
  }
  storing = undefined;
  if (before !== changes) saveSoon();
}

// Buttons of the list

function bring(focus) {
  const row = focus.closest("[data-row]");
  // Of what is taller than the room above the bar, the nearest end may be the wrong one.
  const room = innerHeight - 2 * bar.offsetHeight;
  row?.scrollIntoView({ block: row.offsetHeight > room ? "start" : "nearest" });
  focus.scrollIntoView({ block: "nearest" });
}

async function act(action) {
  if (acting) return;
  acting = true;
  clearTimeout(typing);
  // What would be typed now would be lost with the row that it was typed into.
  const { id } = document.activeElement;
  list().inert = true;
  try {
    const page = await ask(action);
    document.getElementById("parts").replaceWith(page.getElementById("parts"));
    change();
    ready();
    for (const id of FOLLOW) swap(page, id);
    typedInto.clear();
    const focus = document.querySelector("#parts [autofocus]") ?? document.getElementById(id) ?? document.getElementById("add");
    focus.focus({ preventScroll: true });
    bring(focus);
    tell(document.getElementById("parts").dataset.said);
    showSoon();
  } catch (error) {
    list().inert = false;
    complain(error);
  }
  acting = false;
}

// Leaving the page for one that is not there would lose what is typed: whether the server is there is asked before.

async function leave(button) {
  clearTimeout(typing);
  clearTimeout(previewing);
  clearTimeout(saving);
  // A revision that is on its way would make a conflict of what follows it.
  while (storing) await new Promise((resolve) => setTimeout(resolve, 50));
  try {
    await ask("refresh");
    leaving = true;
    form.requestSubmit(button);
  } catch (error) {
    complain(error);
  }
}

form.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (button?.name !== "action") return; // the preview's
  if (leaving) {
    leaving = false;
    delete form.dataset.changed;
    return;
  }
  event.preventDefault();
  if (LEAVES.test(button.value)) leave(button);
  else act(button.value);
});

// Outside a text Ctrl+Z puts a removed question back; the browser would undo what was typed elsewhere, such as the title.
document.addEventListener("keydown", (event) => {
  if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.target.matches(":read-write")) return;
  event.preventDefault();
  const removed = [...form.querySelectorAll("[value^=restore-]")];
  (removed.find((button) => button === document.activeElement) ?? removed.at(-1))?.click();
});

// A row moves with Alt and an arrow, from anywhere in it, and by its handle with a pointer.

form.addEventListener("keydown", (event) => {
  const name = { ArrowUp: "up", ArrowDown: "down" }[event.key];
  const button = name && event.altKey && event.target.closest("[data-row]")?.querySelector(`[data-${name}]`);
  // In a choice, these keys open the list of its options.
  if (!button || event.target.matches("select")) return;
  event.preventDefault();
  if (!button.disabled) act(button.value);
});

function hold(row) {
  const handle = row.querySelector("[data-handle]");
  if (!handle) return;
  handle.hidden = false;
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || acting) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    row.classList.add("dragged");
    let target = row;
    const over = ({ clientY }) => {
      for (const other of list().children) other.classList.remove("target");
      target = [...list().children].find((other) => clientY < other.getBoundingClientRect().bottom) ?? list().lastElementChild;
      if (target !== row) target.classList.add("target");
    };
    const done = ({ type }) => {
      handle.removeEventListener("pointermove", over);
      row.classList.remove("dragged");
      target.classList.remove("target");
      if (type === "pointerup" && target !== row) act(`move-${row.dataset.row}-${target.dataset.row}`);
    };
    handle.addEventListener("pointermove", over);
    handle.addEventListener("pointerup", done, { once: true });
    handle.addEventListener("pointercancel", done, { once: true });
  });
}

// The preview: a new frame each time, shown once it is there. The browser's Back does not lead through old ones.

function show() {
  if (!preview.open || acting) return;
  const old = preview.querySelectorAll("iframe");
  const frame = old[0].cloneNode();
  frame.name = `phone-${(frames += 1)}`;
  frame.className = "coming";
  preview.querySelector(".phone").append(frame);
  const button = preview.querySelector("[data-preview]");
  button.formTarget = frame.name;
  frame.addEventListener("load", () => {
    if (frame.contentDocument?.URL === "about:blank") return;
    frame.className = "";
    for (const other of old) other.remove();
  });
  form.requestSubmit(button);
}

function showSoon() {
  clearTimeout(previewing);
  previewing = setTimeout(show, PREVIEW_PAUSE_MS);
}

function besides() {
  if (WIDE.matches) preview.open = true;
}

// What the page holds after each change of the list

function ready() {
  openRows().forEach(wire);
  form.querySelector("[data-refresh]").hidden = true;
  for (const row of list().children) hold(row);
}

const zone = form.elements.time_zone;
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
// A new survey's times are meant where its owner is, as long as nothing else was said.
if ("new" in form.dataset && !isChanged() && [...zone.options].some(({ value }) => value === here)) zone.value = here;

ready();
besides();
form.addEventListener("input", forgive);
form.addEventListener("focusout", () => setTimeout(mark));
form.addEventListener("input", touched);
// Also as it opens itself on a wide page.
preview.addEventListener("toggle", show);
preview.querySelector("[data-preview]").hidden = true;
WIDE.addEventListener("change", besides);
addEventListener("beforeunload", (event) => isChanged() && event.preventDefault());
document.getElementById("problems")?.focus();
