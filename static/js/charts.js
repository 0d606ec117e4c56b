// The pages of results: charts as PNG, and the current tab in sight. The browser draws the chart’s SVG file, twice as large, and saves the picture.
//
// The picture comes from this site's own address, so the content security policy need not allow any other.

const SCALE = 2;

// The stylesheet shows the buttons only where this module runs.
document.documentElement.classList.add("draws-png");

// Where the tabs are longer than the screen, the current one is in sight.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-png]");
  if (!button) return;
  const tools = button.closest("[data-chart]");
  const said = tools.querySelector("[role=status]");
  button.disabled = true;
  said.textContent = "";
  try {
    save(await picture(tools.querySelector("a[download]").href), button.dataset.png);
  } catch {
    said.textContent = tools.dataset.failed;
  } finally {
    button.disabled = false;
  }
});

async function picture(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * SCALE;
  canvas.height = image.naturalHeight * SCALE;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken hold of the picture by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
