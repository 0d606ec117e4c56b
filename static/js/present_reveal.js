// Moves bars from where they were a step before to where they are: the removal of the random part, seen.
//
// Both places are the server's; without motion the bars simply stand where they are.

const MOVE_MS = 600;
const APPEAR_MS = 250;
const APPEAR_AFTER_MS = 400;

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** End what still moves. */
export function settle(slide) {
  for (const animation of slide.getAnimations({ subtree: true })) animation.finish();
}

/** Let a slide's bars come from their former places, and what is new appear as they arrive: a second after the key all is there. */
export function animate(slide) {
  if (still.matches) return;
  for (const bar of slide.querySelectorAll("[data-moves][data-x]")) {
    const from = { x: `${bar.dataset.x}%`, width: `${bar.dataset.width}%` };
    const to = { x: bar.getAttribute("x"), width: bar.getAttribute("width") };
    bar.animate([from, to], { duration: MOVE_MS, easing: "ease-in-out", fill: "backwards" });
  }
  // The result comes from what was reported.
  for (const dot of slide.querySelectorAll("[data-moves][data-cx]")) {
    const [from, to] = [`${dot.dataset.cx}%`, dot.getAttribute("cx")];
    dot.animate([{ cx: from }, { cx: to }], { duration: MOVE_MS, easing: "ease-in-out", fill: "backwards" });
  }
  for (const part of slide.querySelectorAll("[data-appears]")) {
    part.animate([{ opacity: 0 }, { opacity: 1 }], { duration: APPEAR_MS, delay: APPEAR_AFTER_MS, fill: "backwards" });
  }
}
