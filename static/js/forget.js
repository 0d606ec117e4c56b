// For pages whose answers stand in a plain form: a browser must not bring one back after the page was left.

function forget() {
  // To what the server wrote: nothing chosen, ticked or typed, and the page's own hidden values.
  for (const form of document.querySelectorAll("main form")) form.reset();
}

forget();
addEventListener("pagehide", forget);
addEventListener("pageshow", (event) => {
  forget();
  if (event.persisted) location.reload();
});
