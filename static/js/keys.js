// Letters, digits and signs as shortcuts, and the switch that turns them off: people who speak to a computer, or strike
// a key unawares, would press them unseen. The tab remembers, where it may.

const letters = document.getElementById("letters");
const tab = (() => {
  try {
    return sessionStorage;
  } catch {
    return {};
  }
})();

letters.checked = tab.letters !== "off";
letters.addEventListener("change", () => (tab.letters = letters.checked ? "on" : "off"));
letters.parentElement.hidden = false;

/** Whether a key may act: held with no other key, and, but for Space, one with a name or switched on. */
export const acts = ({ key, ctrlKey, metaKey, altKey }) =>
  !(ctrlKey || metaKey || altKey) && (key.length > 1 || key === " " || letters.checked);
