// The lab on a projector: the keys of a presentation. A lesson has buttons in the place of links.

import { acts } from "./keys.js";

const NEXT = "[rel=next], [data-turn=next]";
const BACK = "[rel=prev], [data-turn=back]";
const page = document.documentElement;
const press = (selector) => document.querySelector(selector)?.click();
const DO = {
  ArrowRight: () => press(NEXT), PageDown: () => press(NEXT),
  ArrowLeft: () => press(BACK), PageUp: () => press(BACK),
  d: () => press("button[name=seed]"), t: () => press("button[name=times]:not([data-show])"),
  b: () => page.classList.toggle("blank"), ".": () => page.classList.toggle("blank"),
  f: () => (document.fullscreenElement ? document.exitFullscreen() : page.requestFullscreen())?.catch(() => {}),
};

addEventListener("keydown", (event) => {
  if (!acts(event) || event.target.matches("input")) return;
  const act = DO[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
