// The page around the viewer: views, light, variants, an image of the view.

const viewer = document.querySelector("vitrine-viewer");
const reset = document.getElementById("reset");
const variants = document.getElementById("variants");

for (const input of document.querySelectorAll("input[name=light]")) {
  input.addEventListener("change", () => (viewer.rotation = Number(input.value)));
}

for (const button of document.querySelectorAll("[data-orbit]")) {
  button.addEventListener("click", () => {
    viewer.autoRotate = false;
    viewer.cameraOrbit = button.dataset.orbit;
    reset.hidden = false;
  });
}

viewer.addEventListener("load", () => {
  for (const name of viewer.availableVariants) {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "radio", name: "variant", value: name });
    input.addEventListener("change", () => (viewer.variantName = name));
    label.append(input, Object.assign(document.createElement("span"), { textContent: name }));
    variants.querySelector("div").append(label);
  }
  variants.hidden = viewer.availableVariants.length === 0;
});

viewer.addEventListener("camera-change", (event) => {
  if (event.detail.source === "user-interaction") reset.hidden = false;
});

reset.addEventListener("click", () => {
  viewer.resetView();
  reset.hidden = true;
});

document.getElementById("save").addEventListener("click", async () => {
  const image = await viewer.toBlob({ mimeType: "image/png", width: 1200, height: 1200 });
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(image), download: "owl.png" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
});
