// For pages whose choices stand in a plain form: a browser must not bring a choice back after the page was left.

function forget() {
  for (const choice of document.querySelectorAll("input[type=radio]")) choice.checked = false;
}

forget();
addEventListener("pagehide", forget);
addEventListener("pageshow", (event) => {
  forget();
  if (event.persisted) location.reload();
});
