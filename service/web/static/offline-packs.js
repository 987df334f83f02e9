// Packs, by which a browser answers without a network, in IndexedDB: one file for each game (service/browse/offline_packs.py).
import { readPack } from "./offline-search.js";

const NAME = "regula-packs";
const FORMAT = 2; // of a pack
const WAITING = 300; // seconds that a pack may be in the making

export class PackError extends Error {
  // `reason`: "network", "full", "storage", "server" or "unfit".
  constructor(reason, more) {
    super(reason, more);
    Object.assign(this, { name: "PackError", reason });
  }
}

function database() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      const { result: store, transaction } = request;
      if (oldVersion < 1) return store.createObjectStore("packs", { keyPath: "game" });
      store.deleteObjectStore("fragments"); // of version 1.0, which cannot be read any more: only which games were loaded is kept
      transaction.objectStore("packs").openCursor().onsuccess = ({ target: { result: cursor } }) => {
        cursor?.update({ game: cursor.value.game });
        cursor?.continue();
      };
    };
    request.onblocked = () => reject(new Error("another tab still has an older version of this site"));
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close(); // a newer page wants another shape
      resolve(request.result);
    };
  });
}

// Runs `work` on the stored packs and resolves to the result of the request that it returns, once that is on the disk.
async function transaction(mode, work) {
  let open;
  try {
    open = await database();
    return await new Promise((resolve, reject) => {
      const running = open.transaction("packs", mode);
      const request = work(running.objectStore("packs"));
      running.oncomplete = () => resolve(request.result);
      running.onabort = () => reject(running.error);
    });
  } catch (fault) { // storage is forbidden, full, or was removed by the browser
    throw new PackError(fault?.name === "QuotaExceededError" ? "full" : "storage", { cause: fault });
  } finally {
    open?.close();
  }
}

// What is stored of each game: {game, index, editions, loaded: Date, size: bytes, file: Blob}; without `file` it is of an older version of this site.
export const storedPacks = () => transaction("readonly", (packs) => packs.getAll());
export const storedPack = (game) => transaction("readonly", (packs) => packs.get(game));
export const removePack = (game) => transaction("readwrite", (packs) => packs.delete(game));

// The server's answer about the pack of `game`; where it is still being made, calls `waiting` and asks again.
async function ask(game, method, waiting) {
  const end = Date.now() + WAITING * 1000;
  for (;;) {
    let response;
    try {
      response = await fetch(`/offline/packs/${encodeURIComponent(game)}`, { method, cache: "no-store" });
    } catch (fault) {
      throw new PackError("network", { cause: fault });
    }
    if (response.ok) return response;
    if (response.status === 404) throw new PackError("unfit");
    if (![429, 503].includes(response.status) || Date.now() > end) throw new PackError("server");
    waiting();
    await new Promise((resolve) => setTimeout(resolve, 1000 * (Number(response.headers.get("Retry-After")) || 5)));
  }
}

const sizeOf = (response) => Number(response.headers.get("Content-Length"));

// Which pack of `game` the server has: {index, size}.
export async function offered(game, waiting) {
  const response = await ask(game, "HEAD", waiting);
  return { index: response.headers.get("Regula-Index"), size: sizeOf(response) };
}

// Loads the pack of `game` in place of what is stored of it, once it is whole. `progress(done, all)` is told of bytes.
export async function loadPack(game, waiting, progress) {
  const response = await ask(game, "GET", waiting);
  const chunks = [];
  let size = 0;
  try {
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      progress((size += value.length), sizeOf(response));
    }
  } catch (fault) {
    throw new PackError("network", { cause: fault });
  }
  const file = new Blob(chunks);
  const pack = await readPack(file).catch((fault) => { // cut off, or a page of somebody in between
    throw new PackError("network", { cause: fault });
  });
  if (pack.format !== FORMAT) throw new PackError("server"); // newer than this page
  await transaction("readwrite", (packs) => packs.put({ game, index: pack.index, editions: pack.editions, loaded: new Date(), size, file }));
}
