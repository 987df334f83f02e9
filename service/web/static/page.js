// What every page can do with script: a word on what was done, copying, a menu that closes, keeping pages for a table without a network.
// Other scripts find it as Regula; tests may hold on to #said (live region, class "toast" while seen), #offline, #menu, [data-cite], [data-link].
"use strict";

const Regula = (() => {
  const get = (selector, within = document) => within.querySelector(selector);
  const said = get("#said");
  let fading;

  function say(text, seen) {
    said.textContent = text;
    said.classList.toggle("toast", Boolean(seen));
    clearTimeout(fading);
    if (seen) fading = setTimeout(() => say(""), 2500);
  }

  // Copying

  // With ``html`` both are there to paste: words and links where there is room for links, words alone elsewhere.
  async function copy(text, word, otherwise, html) {
    try {
      const as = (kind, content) => ({ [kind]: new Blob([content], { type: kind }) });
      if (html) await navigator.clipboard.write([new ClipboardItem({ ...as("text/plain", text), ...as("text/html", html) })]);
      else await navigator.clipboard.writeText(text);
      say(word, true);
    } catch {
      otherwise(); // not a secure address, or not allowed
    }
  }

  // What is in ``element`` as HTML with whole addresses; nothing where it has no links.
  function linked(element) {
    if (!get("a", element)) return "";
    const copied = element.cloneNode(true);
    for (const link of copied.querySelectorAll("a")) link.setAttribute("href", link.href);
    return copied.innerHTML;
  }

  function cite(summary) {
    const details = summary.parentElement;
    const cited = summary.nextElementSibling;
    const byHand = () => {
      details.open = true;
      getSelection().selectAllChildren(cited);
      say(document.execCommand("copy") ? said.dataset.copied : said.dataset.select, true);
    };
    copy(cited.textContent, said.dataset.copied, byHand, linked(cited));
  }

  document.addEventListener("click", (event) => {
    const at = event.target.closest("[data-cite], [data-link]");
    if (!at || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (at.matches("[data-cite]") && at.parentElement.open) return; // closes it
    event.preventDefault();
    if (at.matches("[data-cite]")) cite(at);
    else copy(at.href, said.dataset.linked, () => location.assign(at.href));
  });

  // The picture of a page is loaded when it is to be seen; where it does not come, the link to the page is left.
  function draw(details) {
    const image = get("image:not([href])", details);
    if (!image) return;
    const picture = image.ownerSVGElement;
    picture.setAttribute("aria-busy", "true");
    image.addEventListener("load", () => picture.removeAttribute("aria-busy"));
    image.addEventListener("error", () => picture.remove());
    image.setAttribute("href", image.dataset.href);
  }
  const opened = ({ target }) => target.matches("[data-printed][open]") && draw(target);
  document.addEventListener("toggle", opened, true); // it does not bubble
  document.querySelectorAll("[data-printed][open]").forEach(draw);

  // The page of a document leads back to where it was asked for.
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-sheet]")) sessionStorage.setItem("from", location.pathname + location.search);
  });

  // Choices come back to where they were made, which may not be where the page was loaded.
  document.addEventListener("submit", (event) => {
    const next = event.target.elements.next;
    if (next) next.value = location.pathname + location.search;
  });

  // The menu closes as menus do.
  const menu = get("#menu");
  document.addEventListener("click", (event) => menu.contains(event.target) || (menu.open = false));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    get("summary", menu).focus();
  });

  // The list of keys, over the page that one is on.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || document.documentElement.dataset.keys === "off" || event.target.closest("input, select, textarea")) return;
    const link = get("#keys");
    import(link.dataset.script).then((on) => on.showKeys(link), () => location.assign(link.href));
  });

  // Favourites, notes and history, where there is a passage or an answer to keep.
  const memory = get("#memory");
  function remember() {
    if (memory && get("[data-passage], [data-settled], [data-answer]")) import(memory.dataset.script).catch(() => undefined);
  }

  // Offline

  // Says of each game on the start page whether it is loaded.
  async function ready() {
    if (await globalThis.caches?.has("packs"))
      for (const link of document.querySelectorAll("[data-offline]"))
        if (await (await import(link.dataset.script)).storedPack(link.dataset.offline)) link.textContent = link.dataset.ready;
  }
  const network = () => (get("#offline").hidden = navigator.onLine);
  addEventListener("online", network);
  addEventListener("offline", network);
  network();

  // Lets the service worker keep this page, the entries of the answers on it, and the page of a document that it shows or that its first
  // answer is on: a picture takes room, so the pages of further answers are kept when they are read.
  async function keep() {
    remember();
    ready().catch(() => undefined);
    if (!navigator.serviceWorker) return;
    const pages = [...document.querySelectorAll("[data-open]")].map((a) => a.href);
    const drawn = get("[data-picture]");
    const sheet = get("[data-sheet]");
    if (drawn) pages.push(drawn.currentSrc || drawn.src);
    if (sheet) pages.push(sheet.href, sheet.dataset.sheet);
    const lang = document.documentElement.lang;
    try {
      // Where the address says the language, it is not that of these two.
      if (localStorage.getItem("offline") !== lang && !new URLSearchParams(location.search).has("lang")) {
        pages.push("/offline", "/memory");
        localStorage.setItem("offline", lang);
      }
    } catch {
      // not allowed to keep anything but pages
    }
    (await navigator.serviceWorker.ready).active.postMessage({ keep: [location.href, ...pages] });
  }
  if (navigator.serviceWorker) navigator.serviceWorker.register("/sw.js").then(keep, () => undefined);
  remember();

  return { get, said, say, copy, cite, keep };
})();
