// The page itself instead of its picture: sharp at every size, with words to select. PDF.js is loaded only for that, from this service.
// pdf.min.mjs and pdf.worker.min.mjs are the legacy build of pdfjs-dist 5.6.205 as npm has it; pdfjs-LICENSE.txt is its licence.
// Without script, and without a network, there is the picture.
"use strict";

(() => {
  const { get, say } = Regula;
  const button = get("[data-pdf]");
  const sheet = get(".sheet");
  if (!button || !sheet) return;
  button.hidden = false;

  // Whoever came from an answer goes back to it, however many pages were turned.
  const back = get("[data-back]");
  const from = sessionStorage.getItem("from") || "";
  if (back && from.startsWith("/?")) {
    back.href = from;
    back.textContent = back.dataset.back;
  }

  // A picture that does not come leaves its words, without marks on them.
  const picture = get("[data-picture]");
  function undrawn() {
    sheet.classList.add("undrawn");
    get("#undrawn").hidden = false;
  }
  picture.addEventListener("error", undrawn);
  if (picture.complete && !picture.naturalWidth) undrawn();

  // What is marked stays in sight when the page becomes larger.
  const larger = get("#larger");
  larger.addEventListener("change", () => {
    picture.sizes = larger.checked ? "220vw" : "(max-width: 60rem) 100vw, 60rem";
    get("#passage")?.scrollIntoView({ block: "nearest", inline: "start" });
    redraw();
  });

  async function draw() {
    const { pdf, worker, document: address, page: number } = button.dataset;
    const { getDocument, GlobalWorkerOptions, TextLayer } = await import(pdf);
    GlobalWorkerOptions.workerSrc = worker;
    const loading = getDocument({
      url: address,
      disableAutoFetch: true, // this page, not the whole document
      disableStream: true,
      rangeChunkSize: 2 ** 18,
      isEvalSupported: false, // the security policy forbids both
      useWasm: false,
      useSystemFonts: true,
    });
    try {
      const page = await (await loading.promise).getPage(Number(number));
      const scale = sheet.clientWidth / page.getViewport({ scale: 1 }).width;
      const viewport = page.getViewport({ scale });
      const canvas = document.createElement("canvas");
      const dense = Math.min(devicePixelRatio || 1, 3);
      canvas.width = Math.floor(viewport.width * dense);
      canvas.height = Math.floor(viewport.height * dense);
      canvas.setAttribute("aria-hidden", "true"); // the words stand above it
      await page.render({ canvas, viewport, transform: [dense, 0, 0, dense, 0, 0] }).promise;
      const words = document.createElement("div");
      words.className = "words";
      words.style.setProperty("--total-scale-factor", scale);
      words.style.setProperty("--scale-factor", scale);
      await new TextLayer({ textContentSource: page.streamTextContent(), container: words, viewport }).render();
      const old = get("img, canvas", sheet);
      get(".words", sheet)?.remove();
      old.replaceWith(canvas);
      sheet.append(words);
      sheet.classList.remove("undrawn");
      get("#undrawn").hidden = true;
    } finally {
      loading.destroy();
    }
  }

  async function show() {
    button.disabled = true;
    sheet.setAttribute("aria-busy", "true");
    try {
      await draw();
      button.hidden = true;
    } catch {
      say(button.dataset.failed, true);
    } finally {
      button.disabled = false;
      sheet.removeAttribute("aria-busy");
    }
  }

  button.addEventListener("click", show);

  // Turned, resized or made larger, it is drawn again, or the words would lie beside their pictures.
  let width = sheet.clientWidth;
  let waiting;
  function redraw() {
    clearTimeout(waiting);
    if (button.hidden && sheet.clientWidth !== width) waiting = setTimeout(() => ((width = sheet.clientWidth), show()), 300);
  }
  addEventListener("resize", redraw);
})();
