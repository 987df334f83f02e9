// The list of keys in a dialog over the page that one is on; loaded when "?" is pressed. Where it does not come, the page of keys opens.
// Tests may hold on to: dialog#keys-dialog.

export async function showKeys(link) {
  const known = document.querySelector("#keys-dialog");
  if (known) return known.showModal();
  try {
    const page = new DOMParser().parseFromString(await (await fetch(link.href)).text(), "text/html");
    const list = page.querySelector("#known-keys");
    if (document.querySelector("#keys-dialog")) return; // pressed twice
    const dialog = Object.assign(document.createElement("dialog"), { id: "keys-dialog" });
    const close = Object.assign(document.createElement("button"), { textContent: link.dataset.close, autofocus: true });
    close.addEventListener("click", () => dialog.close());
    dialog.setAttribute("aria-labelledby", "keys-title");
    dialog.append(list, close);
    document.body.append(dialog);
    dialog.showModal();
  } catch {
    location.assign(link.href);
  }
}
