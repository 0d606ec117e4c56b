// A page of the lab on the wall: how many phones have sent their draw, and, while they are looked at, their dots.

import { follow } from "./present_live.js";

const found = document.getElementById("class");
const form = document.getElementById("controls");
const said = document.getElementById("said");

function refreshed() {
  const button = form.querySelector("button[name=times]:not([data-show])");
  if (form.querySelector("input[name=times]").value === button.value) button.click();
}

if (found) follow(found, refreshed, found.dataset.old, said);
