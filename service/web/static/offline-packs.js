// Packs: what a browser needs to answer questions on a game without a network, in IndexedDB. A pack is a manifest and the fragments it names by
// their SHA-256, which packs share. A manifest takes the place of the one before it in one step, once all its fragments are here: what is
// loaded by half is noted as `pending` beside what answers meanwhile.

const NAME = "regula-packs";
const PACKS = "packs"; // by game: {game, manifest, loaded: Date, pending: manifest}; without `manifest` nothing is whole yet
const FRAGMENTS = "fragments"; // by SHA-256: ArrayBuffer
const AT_ONCE = 4; // fragments under way
const RESTARTS = 5; // times that the server may have changed its index while a pack is loaded
const PAUSE = 2000; // milliseconds before another manifest is asked for: processes of one server may change one after the other
const TRIES = 3; // times that a fragment is asked for where it comes damaged
const WAITING = 300; // seconds that a pack may be in the making

export class PackError extends Error {
  // `reason`: "network", "room" (with `needed` and `free`, bytes), "storage", "server", "unfit" or "busy".
  constructor(reason, more = {}) {
    super(reason);
    Object.assign(this, { name: "PackError", reason, ...more });
  }
}

// The store

let opened;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(PACKS, { keyPath: "game" });
      request.result.createObjectStore(FRAGMENTS);
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close(); // a newer page wants another shape
      request.result.onclose = () => (opened = undefined);
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  }).catch((fault) => {
    opened = undefined;
    throw new PackError("storage", { cause: fault });
  });
  return opened;
}

// Runs `work(packs, fragments)` in one transaction and resolves to what it returns, once that is on the disk.
async function transaction(mode, work) {
  const open = await database();
  return new Promise((resolve, reject) => {
    const failed = () => reject(new PackError(running.error?.name === "QuotaExceededError" ? "room" : "storage", { cause: running.error }));
    let running;
    try {
      running = open.transaction([PACKS, FRAGMENTS], mode);
    } catch (fault) { // closed since, or the browser has removed it
      opened = undefined;
      return reject(new PackError("storage", { cause: fault }));
    }
    let result;
    running.oncomplete = () => resolve(result);
    running.onabort = failed;
    running.onerror = failed;
    work(running.objectStore(PACKS), running.objectStore(FRAGMENTS), (value) => (result = value));
  });
}

function all(request) {
  return new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
}

// What is loaded or begun of each game; [] where nothing is.
export const storedPacks = () => transaction("readonly", (packs, _, found) => all(packs.getAll()).then(found));

export const storedPack = (game) => transaction("readonly", (packs, _, found) => all(packs.get(game)).then(found));

export const fragment = (sha256) => transaction("readonly", (_, fragments, found) => all(fragments.get(sha256)).then(found));

export const storedHashes = () =>
  transaction("readonly", (_, fragments, found) => all(fragments.getAllKeys()).then((keys) => found(new Set(keys))));

const store = (sha256, bytes) => transaction("readwrite", (_, fragments) => fragments.put(bytes, sha256));

const note = (game, change) =>
  transaction("readwrite", (packs) => all(packs.get(game)).then((pack) => packs.put({ game, ...pack, ...change })));

// Bytes of `manifest` that are not here.
export function missing(manifest, hashes) {
  return manifest.fragments.filter((part) => !hashes.has(part.sha256));
}

export const bytesOf = (fragments) => fragments.reduce((sum, part) => sum + part.bytes, 0);

// Takes `manifest` into use and removes the fragments that no manifest names any more, in one step; false where some are missing.
function finish(game, manifest) {
  return transaction("readwrite", async (packs, fragments, found) => {
    const [here, others] = await Promise.all([all(fragments.getAllKeys()), all(packs.getAll())]);
    if (missing(manifest, new Set(here)).length) return found(false);
    packs.put({ game, manifest, loaded: new Date() });
    removeUnnamed(fragments, here, [...others.filter((pack) => pack.game !== game), { manifest }]);
    found(true);
  });
}

function removeUnnamed(fragments, here, packs) {
  const named = new Set(packs.flatMap(({ manifest, pending }) => [manifest, pending]).flatMap((each) => each?.fragments.map((part) => part.sha256) ?? []));
  for (const key of here) if (!named.has(key)) fragments.delete(key);
}

export async function removePack(game) {
  await transaction("readwrite", async (packs, fragments) => {
    const [here, stored] = await Promise.all([all(fragments.getAllKeys()), all(packs.getAll())]);
    packs.delete(game);
    removeUnnamed(fragments, here, stored.filter((pack) => pack.game !== game));
  });
  tellOthers(game);
}

// Other tabs

const channel = globalThis.BroadcastChannel && new BroadcastChannel(NAME);

const tellOthers = (game) => channel?.postMessage(game);

export const onChange = (react) => channel?.addEventListener("message", ({ data }) => react(data));

// Loading

const pause = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });

// Asks the server; waits where it says so, and calls `waiting` then.
async function ask(address, signal, waiting = () => {}) {
  const end = Date.now() + WAITING * 1000;
  for (;;) {
    let response;
    try {
      response = await fetch(address, { signal, cache: "no-store", headers: { Accept: "application/json, application/octet-stream" } });
    } catch (fault) {
      signal?.throwIfAborted();
      throw new PackError("network", { cause: fault });
    }
    if (![429, 503].includes(response.status) || Date.now() > end) return response;
    waiting();
    await pause(1000 * (Number(response.headers.get("Retry-After")) || 5), signal);
  }
}

// The manifest that the server has of `game`.
export async function offered(game, signal, waiting) {
  const response = await ask(`/offline/packs/${encodeURIComponent(game)}`, signal, waiting);
  if (response.status === 404) throw new PackError("unfit");
  if (!response.ok) throw new PackError("server");
  try {
    return await response.json();
  } catch (fault) { // cut off, or a page of somebody in between
    signal?.throwIfAborted();
    throw new PackError("network", { cause: fault });
  }
}

const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// Loads a fragment into the store; false where the server has it no more.
async function loadFragment({ sha256, bytes }, signal) {
  for (let tries = 0; tries < TRIES; tries++) {
    const response = await ask(`/offline/fragments/${sha256}`, signal);
    if (response.status === 404) return false;
    if (!response.ok) throw new PackError("server");
    let content;
    try {
      content = await response.arrayBuffer();
    } catch (fault) {
      signal?.throwIfAborted();
      throw new PackError("network", { cause: fault });
    }
    const whole = content.byteLength === bytes && (!globalThis.crypto?.subtle || hex(await crypto.subtle.digest("SHA-256", content)) === sha256);
    if (!whole) continue;
    await store(sha256, content);
    return true;
  }
  throw new PackError("server");
}

async function checkRoom(needed) {
  const { quota, usage } = (await navigator.storage?.estimate?.()) ?? {};
  if (quota !== undefined && quota - usage < needed) throw new PackError("room", { needed, free: Math.max(0, quota - usage) });
}

async function loadMissing(game, manifest, signal, progress) {
  const lacking = missing(manifest, await storedHashes());
  let done = manifest.bytes - bytesOf(lacking);
  progress(done, manifest.bytes);
  await checkRoom(bytesOf(lacking));
  const queue = [...lacking];
  let gone = false;
  const work = async () => {
    for (let part; !gone && (part = queue.shift()); ) {
      if (!(await loadFragment(part, signal))) gone = true;
      else progress((done += part.bytes), manifest.bytes);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } catch (fault) {
    queue.length = 0; // one that fails stops the others
    throw fault.reason === "room" ? Object.assign(fault, { needed: manifest.bytes - done }) : fault;
  }
  return !gone && (await finish(game, manifest));
}

// Loads the pack of `game` that the server has, as far as it is not here. `progress(done, all)` is told of bytes, `waiting()` when the
// server is still making it. Rejects with a PackError, or with AbortError where `signal` stops it; what is loaded stays, and is not loaded again.
export async function loadPack(game, { signal, progress = () => {}, waiting } = {}) {
  const locks = navigator.locks ?? { request: (_, __, work) => work(true) }; // not over plain http
  await locks.request(`${NAME}-${game}`, { ifAvailable: true }, async (lock) => {
    if (!lock) throw new PackError("busy");
    for (let restarts = 0; restarts < RESTARTS; restarts++) {
      if (restarts) await pause(PAUSE, signal);
      const manifest = await offered(game, signal, waiting);
      await note(game, { pending: manifest });
      if (await loadMissing(game, manifest, signal, progress)) return tellOthers(game);
    }
    throw new PackError("server");
  });
}
