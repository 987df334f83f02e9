// The page shown without a network: an answer from what is loaded on the device, where the address asks something; else the rulebooks that can be
// loaded for that, and what the service worker has kept: questions by their words, pages by their titles, the latest first.
const packs = document.getElementById("packs");
const main = document.getElementById("main");
const nothing = document.getElementById("nothing");
const question = location.pathname === "/" && new URLSearchParams(location.search).get("q")?.trim();

async function list(sort, most, label) {
  const section = document.getElementById(sort);
  for (const name of (await caches.keys()).filter((n) => n.startsWith(`${sort}-`))) {
    const cache = await caches.open(name);
    for (const request of (await cache.keys()).reverse().slice(0, most)) {
      const told = await label(new URL(request.url), () => cache.match(request, { ignoreVary: true }));
      if (!told) continue;
      const link = document.createElement("a");
      link.href = request.url;
      link.textContent = told;
      section.lastElementChild.appendChild(document.createElement("li")).append(link);
      section.hidden = false;
      nothing.hidden = true;
    }
  }
}

// A rulebook that can be loaded: what is stored of it, loading, bringing up to date, removing.
function row(item, { storedPack, offered, loadPack, removePack }) {
  const lang = document.documentElement.lang;
  const { game, title } = item.dataset;
  const bar = item.querySelector("progress");
  const [load, remove] = item.querySelectorAll("button");
  const size = (bytes) => new Intl.NumberFormat(lang, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 }).format(bytes / 1e6);
  const words = (name, values = {}) => (packs.dataset[name] || packs.dataset.server).replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const tell = (...told) => (item.querySelector("[data-state]").textContent = told.filter(Boolean).join(" "));
  let busy = false;

  // Shows what is stored and what the server has; `before` is said first.
  async function refresh(before) {
    const pack = await storedPack(game).catch(() => null);
    if (pack === null) return tell(before, words("storage"));
    const here = pack ? words("loaded", { day: new Intl.DateTimeFormat(lang, { dateStyle: "long" }).format(pack.loaded), size: size(pack.size) }) : words("none");
    if (pack) nothing.hidden = true;
    tell(before, here);
    remove.hidden = !pack;
    remove.textContent = words("remove", { game: title });
    load.hidden = true;
    try {
      const there = await offered(game, () => busy || tell(before, here, words("preparing")));
      load.hidden = pack?.index === there.index;
      load.textContent = words(pack ? "update" : "load", { game: title, size: size(there.size) });
      tell(before, here, pack && !load.hidden && words("newer"));
    } catch (fault) {
      if (!pack) tell(before, here, words(fault.reason === "network" ? "later" : fault.reason));
    }
  }

  // Does `work`, says how it went, and leaves the focus to a button that is there.
  async function act(work, done) {
    busy = load.hidden = remove.hidden = true;
    const told = words(await work().then(() => done, (fault) => fault.reason));
    navigator.serviceWorker?.controller?.postMessage({ keep: ["/offline"] }); // with the rulebooks as they are now
    busy = false;
    bar.hidden = true;
    Regula.say(told);
    await refresh(told);
    if (document.activeElement === document.body) (load.hidden ? remove : load).focus();
  }

  async function loading() {
    bar.hidden = false;
    bar.value = 0;
    tell(words("preparing"));
    await navigator.storage?.persist?.().catch(() => false);
    await loadPack(game, () => tell(words("preparing")), (done, all) => {
      bar.value = all ? done / all : 1;
      tell(words("loading", { part: size(done), size: size(all) }));
    });
  }

  load.addEventListener("click", () => act(loading, "done"));
  remove.addEventListener("click", () => act(() => removePack(game), "removed"));
  addEventListener("online", () => busy || refresh());
  refresh();
}

// The answer to the question in the address, in place of the page; whether there is one.
async function answered() {
  try {
    const { answerHere } = await import(packs.dataset.answer);
    const answer = await answerHere(location.href);
    main.replaceWith(answer);
    document.title = answer.dataset.title;
    Regula.say(answer.dataset.said);
    return true;
  } catch {
    return false; // this browser stores nothing: the lists say what is there
  }
}

if (location.pathname === "/offline") document.querySelector("[data-again]").hidden = true;
if (location.pathname === "/") main.dataset.page = "ask"; // the next question is asked without a page load
if (!(question && packs && (await answered()))) {
  if (packs) import("./offline-packs.js").then((stored) => packs.querySelectorAll("[data-game]").forEach((item) => row(item, stored)));
  if (window.caches) {
    await list("asked", 30, (url) => url.searchParams.get("q"));
    await list("read", 100, async (url, page) => {
      if (url.pathname === "/") return null;
      return new DOMParser().parseFromString(await (await page()).text(), "text/html").title.replace(/ – Regula$/, "");
    });
  }
}
