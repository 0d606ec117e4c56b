// Copies links and hands them to a phone's own apps, where the browser lets a page do that: over plain HTTP it does
// not, and a link is selected instead.

document.addEventListener("focusin", ({ target }) => {
  if (target.matches("[data-link]")) target.select();
});

if (navigator.clipboard?.writeText) {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
}

if (navigator.share && matchMedia("(pointer: coarse)").matches) {
  for (const button of document.querySelectorAll("[data-share]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      // Somebody who changes their mind has nothing to be told.
      navigator.share({ url: button.dataset.share }).catch(() => {});
    });
  }
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
