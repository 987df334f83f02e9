// The rulebooks that can be loaded for asking without a network, on /offline: what is loaded, loading, stopping, bringing up to date, removing.
import { bytesOf, loadPack, missing, offered, onChange, removePack, storedHashes, storedPack, storedPacks } from "./offline-packs.js";

const section = document.querySelector("#packs");
const lang = document.documentElement.lang;
const said = section.dataset;

function size(bytes) {
  const [unit, value] = bytes < 1e6 ? ["kilobyte", Math.ceil(bytes / 1000)] : bytes < 1e9 ? ["megabyte", bytes / 1e6] : ["gigabyte", bytes / 1e9];
  return new Intl.NumberFormat(lang, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
}

const words = (name, values = {}) => said[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
const day = (date) => new Intl.DateTimeFormat(lang, { dateStyle: "long" }).format(date);

class Row {
  constructor(item) {
    this.game = item.dataset.game;
    this.title = item.dataset.title;
    this.state = item.querySelector("[data-state]");
    this.bar = item.querySelector("progress");
    this.buttons = Object.fromEntries([...item.querySelectorAll("[data-do]")].map((button) => [button.dataset.do, button]));
    this.loading = null; // AbortController while it is under way
    this.buttons.load.addEventListener("click", () => this.load());
    this.buttons.cancel.addEventListener("click", () => this.loading?.abort());
    this.buttons.remove.addEventListener("click", () => this.remove());
  }

  tell(name, values) {
    this.state.textContent = words(name, values);
  }

  offer(name, on, values) {
    const button = this.buttons[{ update: "load", resume: "load" }[name] ?? name];
    button.hidden = !on;
    if (on) button.textContent = words(name, { game: this.title, ...values });
  }

  // Shows what is here, and beside it what the server has; `trouble` is said before.
  async refresh(trouble = "") {
    if (this.loading) return;
    let pack, hashes;
    try {
      [pack, hashes] = await Promise.all([storedPack(this.game), storedHashes()]);
    } catch {
      return this.tell("storage");
    }
    const before = trouble && `${trouble} `;
    const loaded = pack?.manifest && words("loaded", { day: day(pack.loaded), id: pack.manifest.index, size: size(pack.manifest.bytes) });
    const here = pack?.pending && words("partly", this.#parts(pack.pending, hashes));
    this.state.textContent = before + (loaded || here || words("none"));
    this.offer("cancel", false);
    this.offer("remove", Boolean(pack));
    this.offer("load", false);
    let manifest;
    try {
      manifest = await offered(this.game, undefined, () => this.loading || (this.state.textContent = `${before}${loaded ? `${loaded}. ` : ""}${words("preparing")}`));
    } catch (fault) {
      if (!this.loading && !trouble) this.state.textContent = loaded || here || (fault.reason === "network" ? `${words("none")}. ${words("later")}` : words(fault.reason));
      return;
    }
    if (this.loading) return;
    const parts = this.#parts(manifest, hashes);
    if (!loaded) {
      const begun = Boolean(pack?.pending) && missing(manifest, hashes).length < manifest.fragments.length;
      this.offer(begun ? "resume" : "load", true, { size: parts.size, part: parts.left });
      this.state.textContent = before + (begun ? words("partly", parts) : words("none"));
    } else if (manifest.index !== pack.manifest.index || manifest.format !== pack.manifest.format) {
      this.offer("update", true, { part: parts.left });
      this.state.textContent = `${before}${loaded}. ${words("newer", { part: parts.left, size: parts.size })}`;
    } else this.state.textContent = before + loaded;
  }

  // Sizes of `manifest`: all of it, the `part` that is here, what is `left` to load.
  #parts(manifest, hashes) {
    const left = bytesOf(missing(manifest, hashes));
    return { size: size(manifest.bytes), part: size(manifest.bytes - left), left: size(left) };
  }

  async load() {
    const mine = (this.loading = new AbortController());
    this.offer("load", false);
    this.offer("remove", false);
    this.offer("cancel", true);
    this.buttons.cancel.focus();
    this.bar.hidden = false;
    this.bar.value = 0;
    this.tell("preparing");
    let trouble = "";
    try {
      await navigator.storage?.persist?.().catch(() => false);
      await loadPack(this.game, {
        signal: mine.signal,
        waiting: () => this.tell("preparing"),
        progress: (done, all) => {
          this.bar.value = all ? done / all : 1;
          this.tell("loading", { part: size(done), size: size(all) });
        },
      });
      trouble = words("done");
      refreshShell();
    } catch (fault) {
      if (fault.reason === "room" && fault.free !== undefined) trouble = words("room", { size: size(fault.needed), room: size(fault.free) });
      else if (fault.name !== "AbortError") trouble = words(fault.reason === "room" ? "full" : said[fault.reason] ? fault.reason : "server");
    }
    this.loading = null;
    this.bar.hidden = true;
    Regula.say(trouble);
    await this.refresh(trouble);
    focusOn(this.buttons);
    showRoom();
  }

  async remove() {
    try {
      await removePack(this.game);
    } catch {
      return this.tell("storage");
    }
    Regula.say(words("removed"));
    await this.refresh(words("removed"));
    focusOn(this.buttons);
    showRoom();
  }
}

// A button that goes away leaves the focus to one that is there.
function focusOn(buttons) {
  if (document.activeElement === document.body) Object.values(buttons).find((button) => !button.hidden)?.focus();
}

// The page that answers without a network has the list of rulebooks: as it is now.
function refreshShell() {
  navigator.serviceWorker?.controller?.postMessage({ keep: ["/offline"] });
}

async function showRoom() {
  try {
    const used = new Map((await storedPacks()).flatMap(({ manifest, pending }) => [manifest, pending]).flatMap((each) => each?.fragments ?? []).map((part) => [part.sha256, part]));
    const hashes = await storedHashes();
    const here = bytesOf([...used.values()].filter((part) => hashes.has(part.sha256)));
    const { quota } = (await navigator.storage?.estimate?.()) ?? {};
    const lasting = await navigator.storage?.persisted?.();
    if (here) document.querySelector("#nothing").hidden = true;
    const told = here && quota ? [words("used", { size: size(here), room: size(quota) }), words(lasting ? "lasting" : "passing")] : [];
    document.querySelector("#room").textContent = told.join(" ");
  } catch {
    // Nothing is stored here; each row says so.
  }
}

const rows = [...section.querySelectorAll("[data-game]")].map((item) => new Row(item));
const refresh = () => rows.forEach((row) => row.refresh());
refresh();
showRoom();
addEventListener("online", refresh);
onChange((game) => rows.filter((row) => row.game === game).forEach((row) => row.refresh()));
