// The two actions of a ruling sheet: print it, share it. Where the device has no share sheet, words and link are copied.
// Tests may hold on to: #print, #share (data-url: the permanent link), #message (the sheet as a message).
"use strict";

(() => {
  const { get, said, copy } = Regula;
  const text = get("#message").textContent;
  const url = new URL(get("#share").dataset.url, location.href).href;
  const copied = () => copy(text.includes(url) ? text : `${text}\n\n${url}`, said.dataset.copied, () => location.assign(url));
  get("#acts").hidden = false;
  get("#print").onclick = () => print();
  get("#share").onclick = () =>
    navigator.share ? navigator.share({ title: document.title, text: text.replace(url, "").trim(), url }).catch((fault) => fault.name === "AbortError" || copied()) : copied();
})();
