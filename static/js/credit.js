// The credit receipt: made on the phone, shown once, forgotten when the page is left. It stands in no field, link,
// address or storage, which browsers write down. Only surveys that give credit load this.

import { blind, finalize, fromText, join, modulusOf, toText } from "./blind.js";

const MESSAGE_BYTES = 64; // 32 random ones, as RFC 9474 wants, and a serial of 32

/** Add to the page that sends an answer; what is sent for credit is drawn once a page, so that it stays the same. */
export function add({ sender, steps, show, forget }) {
  const part = (name) => document.getElementById(name);
  const { nonce, blinded } = part("sending").elements;
  const [section, link, code, file, picture] = ["", "-link", "-code", "-file", "-qr"].map((name) => part(`credit${name}`));
  const modulus = modulusOf(blinded.dataset.key);
  const message = new Uint8Array(MESSAGE_BYTES);
  // A spreadsheet takes what begins with a hyphen for a formula, so no receipt does.
  do crypto.getRandomValues(message);
  while (toText(message).startsWith("-"));
  const asked = blind(modulus, message);
  let isUnsaved = false;

  function fill() {
    Object.assign(blinded, { value: toText(asked.blinded), disabled: false });
    const raw = part("payload");
    if (raw.textContent) raw.append(`\nblinded: ${blinded.value}`);
  }

  function receive({ signature }) {
    try {
      code.textContent = toText(join(message, finalize(modulus, message, fromText(signature), asked.inverse)));
      const address = link.querySelector("[data-path]");
      address.textContent = location.origin + address.dataset.path;
      isUnsaved = true;
    } catch {
      part("credit-made").hidden = true;
      part("credit-wrong").hidden = false;
    }
    forget();
    blinded.value = "";
    show(steps.push(section) - 1);
  }

  async function decline() {
    if (sender.busy || sender.tried) return; // an answer of this page may have arrived
    sender.busy = true;
    const body = new URLSearchParams({ nonce: nonce.value, blinded: blinded.value });
    const answer = await fetch("declined/", { method: "POST", headers: { Accept: "application/json" }, body })
      .then((response) => response.json())
      .catch(() => ({}));
    sender.busy = false;
    const problem = part("not-declined");
    problem.textContent = answer.error ?? problem.dataset.failed;
    problem.hidden = Boolean(answer.receipt);
    if (!answer.receipt) return;
    sender.arrived = sender.tried = true;
    location.replace("#credit"); // from the place that shows nothing else
    for (const other of section.querySelectorAll("[data-declined]")) other.hidden = !other.hidden;
    receive(answer);
  }

  function wipe() {
    for (const place of [code, picture]) place.replaceChildren();
    blinded.value = "";
    message.fill(0);
    asked.inverse = 0n;
  }

  for (const button of section.querySelectorAll("[data-copies]")) {
    button.addEventListener("click", () => {
      getSelection().selectAllChildren(part(button.dataset.copies));
      // Plain HTTP knows no other clipboard. What is selected can be copied by hand.
      if (document.execCommand("copy")) part("credit-copied").textContent = button.dataset.copied;
    });
  }
  link.addEventListener("copy", (event) => {
    event.clipboardData.setData("text/plain", String(getSelection()).replace(/\s/g, ""));
    event.preventDefault();
    isUnsaved = false;
  });
  file.addEventListener("click", () => {
    const href = URL.createObjectURL(new Blob([link.textContent], { type: "text/plain" }));
    Object.assign(document.createElement("a"), { href, download: file.dataset.name }).click();
    isUnsaved = false;
  });
  part("credit-show").addEventListener("click", async ({ currentTarget }) => {
    const { pictureOf } = await import("./qr.js");
    const drawn = pictureOf(link.textContent);
    currentTarget.hidden = true;
    picture.hidden = !drawn;
    if (drawn) picture.replaceChildren(drawn);
  });
  addEventListener("beforeunload", (event) => {
    if (!isUnsaved) return;
    event.preventDefault();
    event.returnValue = ""; // older browsers ask for it
  });
  addEventListener("pagehide", wipe);
  fill();
  sender.receive = receive;
  if (!part("declining")) return; // no consent is asked for
  part("declining").hidden = false;
  part("not-declining").hidden = true;
  part("decline").addEventListener("click", decline);
}
