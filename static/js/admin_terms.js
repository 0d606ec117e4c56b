// Shows of the second step only what the chosen mechanism reads; without this script all fields are there.
//
// A field that is hidden is not sent, so that nothing typed before another mechanism was chosen counts.

const optional = ["answer", "share", "how_many", "bound", "delta"];
const mechanisms = [...document.querySelectorAll("input[name=mechanism]")];
const unit = document.querySelector("select[name=unit]");

function show() {
  const chosen = mechanisms.find((mechanism) => mechanism.checked);
  if (!chosen) return;
  const read = chosen.dataset.fields.split(" ");
  for (const name of optional) {
    const row = document.querySelector(`[data-field=${name}]`);
    if (!row) continue;
    row.hidden = !read.includes(name);
    for (const control of row.querySelectorAll("input, select")) control.disabled = row.hidden;
  }
  const units = chosen.dataset.units.split(" ");
  for (const option of unit.options) option.hidden = option.disabled = !units.includes(option.value);
  if (unit.selectedOptions[0]?.disabled ?? true) unit.value = units.at(-1);
}

for (const mechanism of mechanisms) mechanism.addEventListener("change", show);
addEventListener("pageshow", show);
show();
