// The page of a receipt: takes it out of the address, which is wiped, and puts it behind the links that carry it on.
// It is sent nowhere and kept nowhere; what is left of it on this page goes when the page does.

const field = document.getElementById("receipt");
const damaged = document.getElementById("damaged");
const WRITTEN = /^[\w-]{427}$/;

function receiptIn(text) {
  const written = text.replace(/\s/g, "").split("#").pop();
  return WRITTEN.test(written) ? written : "";
}

function carry() {
  const receipt = receiptIn(field.value);
  damaged.hidden = receipt !== "" || field.value.trim() === "";
  for (const link of document.querySelectorAll("[data-carries-receipt]")) link.hash = receipt;
}

function take() {
  // The address may also name a part of the page.
  if (location.hash.length < 2 || document.getElementById(location.hash.slice(1))) return;
  const receipt = receiptIn(location.hash);
  const page = location.origin + location.pathname;
  field.value = receipt ? `${page}#${receipt}` : location.hash.slice(1);
  history.replaceState(null, "", location.pathname + location.search);
  carry();
}

field.addEventListener("input", carry);
addEventListener("hashchange", take);
addEventListener("pagehide", () => {
  field.value = "";
  carry();
});
take();
