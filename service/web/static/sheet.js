// The buttons of a ruling sheet that need script: print, the share sheet of the device. Without either, the link is copied.
// What it holds on to, and tests may: #print, #share (data-url: the permanent link), #message (the sheet as a message).
// Of page.js: Regula.
"use strict";

(() => {
  const { get, said, copy } = Regula;
  const printing = get("#print");
  printing.hidden = false;
  printing.addEventListener("click", () => print());

  const sharing = get("#share");
  sharing.hidden = false;
  sharing.addEventListener("click", async () => {
    const url = new URL(sharing.dataset.url, location.href).href;
    const link = () => copy(url, said.dataset.linked, () => location.assign(url));
    if (!navigator.share) return link();
    try {
      await navigator.share({ title: document.title, text: get("#message").textContent.replace(url, "").trim(), url });
    } catch (fault) {
      if (fault.name !== "AbortError") link(); // one that its user closed
    }
  });
})();
