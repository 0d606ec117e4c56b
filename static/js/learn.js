// The lab: what is moved asks the server for its picture; dots that stay go from their old place to the new one.
//
// The answer is parsed by the request itself, which is no way for text to become a script.

const WAIT_MS = 60;
const MOVING = "circle, rect, line, path, .pin";
const PLACES = ["class", "x", "width", "cx", "cy", "x1", "x2", "d"];

const page = document.documentElement;
const lab = document.getElementById("lab");
const form = document.getElementById("controls");
const shown = document.getElementById("shown");
const said = document.getElementById("said");
let timer;
let running;

const asked = () => new URLSearchParams(new FormData(form)).toString();

function ask(query) {
  running?.abort();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    running = request;
    request.open("GET", `${lab.dataset.picture}?${query}`);
    request.responseType = "document";
    request.addEventListener("load", () => (request.status === 200 ? resolve(request.responseXML.body) : reject(request.status)));
    request.addEventListener("error", reject);
    request.send();
  });
}

const moving = (root) => [...root.querySelectorAll(MOVING)];
const places = (mark) => PLACES.map((name) => mark.getAttribute(name));
const put = (mark, values) => PLACES.forEach((name, at) => values[at] !== null && mark.setAttribute(name, values[at]));

function replace(body) {
  const before = moving(shown).map(places);
  const open = [...shown.querySelectorAll(".figure[id]:has(details[open])")].map(({ id }) => id);
  shown.replaceChildren(...document.importNode(body, true).childNodes);
  for (const id of open) document.querySelector(`#${id} details`)?.setAttribute("open", "");
  const marks = moving(shown);
  if (marks.length !== before.length) return;
  const after = marks.map(places);
  marks.forEach((mark, number) => put(mark, before[number]));
  shown.getBoundingClientRect();
  requestAnimationFrame(() => marks.forEach((mark, number) => put(mark, after[number])));
}

// People who do not see the picture hear its sentence.
const say = () => (said.textContent = document.getElementById("says").textContent);

async function show() {
  const query = asked();
  try {
    replace(await ask(query));
    say();
    history.replaceState(null, "", `?${query}`);
  } catch {
    // The form works without a script, and says what is wrong.
    form.submit();
  }
}

form.addEventListener("input", ({ target }) => {
  const output = target.closest(".slider")?.querySelector("output");
  if (output) output.textContent = target.value + output.dataset.unit;
  form.querySelector("input[name=times]").value = 1;
  clearTimeout(timer);
  timer = setTimeout(show, WAIT_MS);
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, value } = event.submitter;
  form.querySelector(`input[name=${name}]`).value = value;
  if (name === "seed") event.submitter.value = (Number(value) % Number(event.submitter.dataset.most)) + 1;
  show();
});
page.classList.add("js");
