// The credit receipt: made on the phone, shown once, forgotten when the page is left. It stands in no field, link, address
// or storage, which browsers write down. Only surveys that give credit load this.

import { blind, finalize, fromText, join, modulusOf, toText } from "./blind.js";

const MESSAGE_BYTES = 64; // 32 random ones, as RFC 9474 wants, and a serial of 32
const { blinded } = document.getElementById("sending").elements;
const [link, code, copied, file, picture] = ["link", "code", "copied", "file", "qr"].map((name) => document.getElementById(`credit-${name}`));
const address = link.querySelector("[data-path]");
const modulus = modulusOf(blinded.dataset.key);
let message = null;
let inverse = null;
let isUnsaved = false;

/** Fill in what the server is asked to sign, once: what is sent again is the same. */
export function prepare() {
  if (blinded.value) return;
  message = crypto.getRandomValues(new Uint8Array(MESSAGE_BYTES));
  const made = blind(modulus, message);
  inverse = made.inverse;
  Object.assign(blinded, { value: toText(made.blinded), disabled: false });
}

/** Show the receipt, or that the server has not signed what it was asked to. */
export function receive(signature) {
  try {
    code.textContent = toText(join(message, finalize(modulus, message, fromText(signature), inverse)));
    address.textContent = location.origin + address.dataset.path;
    file.href = URL.createObjectURL(new Blob([link.textContent], { type: "text/plain" }));
    isUnsaved = true;
  } catch {
    document.getElementById("credit-made").hidden = true;
    document.getElementById("credit-wrong").hidden = false;
  }
}

function forget() {
  [message, inverse] = [null, null];
  for (const place of [code, picture]) place.replaceChildren();
  if (file.href) URL.revokeObjectURL(file.href);
  file.removeAttribute("href");
}

function saved(text) {
  isUnsaved = false;
  copied.textContent = text;
}

for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", () => {
    getSelection().selectAllChildren(document.getElementById(button.dataset.copies));
    // Plain HTTP knows no other clipboard. What is selected can be copied by hand.
    if (document.execCommand("copy")) saved(button.dataset.copied);
  });
}
link.addEventListener("copy", (event) => {
  event.clipboardData.setData("text/plain", String(getSelection()).replace(/\s/g, ""));
  event.preventDefault();
  isUnsaved = false;
});
file.addEventListener("click", () => saved(""));
document.getElementById("credit-show").addEventListener("click", async ({ currentTarget }) => {
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
addEventListener("pagehide", forget);
