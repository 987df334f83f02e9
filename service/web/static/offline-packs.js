// Packs, by which a browser answers without a network, in IndexedDB: one file for each game (service/browse/offline_packs.py).
const FORMAT = 2; // of a pack
const WAITING = 300; // seconds that a pack may be in the making

// `reason`: "network", "full", "storage", "server" or "unfit".
const failure = (reason, cause) => Object.assign(new Error(reason, { cause }), { reason });

// Runs `work` on the stored packs and resolves to the result of the request that it returns, once that is on the disk.
async function transaction(mode, work) {
  let open;
  try {
    open = await new Promise((resolve, reject) => {
      const request = indexedDB.open("regula-packs", 2);
      request.onupgradeneeded = () => {
        for (const name of request.result.objectStoreNames) request.result.deleteObjectStore(name); // of version 1.0, which nothing reads any more
        request.result.createObjectStore("packs", { keyPath: "game" });
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = request.onblocked = () => reject(request.error);
    });
    return await new Promise((resolve, reject) => {
      const running = open.transaction("packs", mode);
      const request = work(running.objectStore("packs"));
      running.oncomplete = () => resolve(request.result);
      running.onabort = () => reject(running.error);
    });
  } catch (fault) { // storage is forbidden, full, or was removed by the browser
    throw failure(fault?.name === "QuotaExceededError" ? "full" : "storage", fault);
  } finally {
    open?.close();
  }
}

// What is stored of each game: {game, index, editions, loaded: Date, size: bytes, file: Blob}. A cache called "packs" tells the service worker.
export async function storedPacks() {
  const packs = await transaction("readonly", (stored) => stored.getAll());
  const { caches } = globalThis;
  await (packs.length ? caches?.open("packs") : caches?.delete("packs"))?.catch(() => undefined);
  return packs;
}
export const storedPack = async (game) => (await storedPacks()).find((pack) => pack.game === game);
export const removePack = (game) => transaction("readwrite", (packs) => packs.delete(game));

// The pack in `file`, a Blob of gzipped JSON. Rejects where that is damaged.
export const readPack = (file) => new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).json();

// The server's answer about the pack of `game`; where it is still being made, calls `waiting` and asks again.
async function ask(game, method, waiting) {
  const end = Date.now() + WAITING * 1000;
  for (;;) {
    const address = `/offline/packs/${encodeURIComponent(game)}`;
    const response = await fetch(address, { method, cache: "no-store" }).catch((fault) => Promise.reject(failure("network", fault)));
    if (response.ok) return response;
    if (response.status === 404) throw failure("unfit");
    if (![429, 503].includes(response.status) || Date.now() > end) throw failure("server");
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
  let pack;
  try {
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      progress((size += value.length), sizeOf(response));
    }
    pack = await readPack(new Blob(chunks));
  } catch (fault) { // cut off, or a page of somebody in between
    throw failure("network", fault);
  }
  if (pack.format !== FORMAT) throw failure("server"); // newer than this page
  const record = { game, index: pack.index, editions: pack.editions, loaded: new Date(), size, file: new Blob(chunks) };
  await transaction("readwrite", (packs) => packs.put(record));
}
