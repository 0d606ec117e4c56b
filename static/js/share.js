// Copies links, where the browser lets a page do that: over plain HTTP it does not, and a link is selected instead.

document.addEventListener("focusin", ({ target }) => {
  if (target.matches("[data-link]")) target.select();
});

if (navigator.clipboard?.writeText) {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy]");
  if (!button) return;
  const link = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(button.dataset.text ?? link.value);
    button.parentElement.querySelector("[role=status]").textContent = button.dataset.copied;
  } catch {
    // Refused after all: what is selected can be copied by hand.
    link?.focus();
  }
});
