// Keeps pages for a table without a network. VERSION and FILES are put before this by the server.
// Caches: shell-VERSION (static files, /offline, /memory); asked-, read- and drawn-VERSION-INDEX (answers, other pages, pictures of the pages of
// documents), INDEX being the one they were answered from:
// the first page of another index throws the pages of the old one away, so that old and new answers are never mixed. "packs" is there where a
// rulebook is loaded that answers without a network (offline-packs.js).
"use strict";

const SHELL = `shell-${VERSION}`;
const OFFLINE = "/offline";
const ALWAYS = [OFFLINE, "/memory"]; // kept whatever was read, and over changes of the index
const MOST = { asked: 30, read: 300, drawn: 100 };
const ROOM = 40_000_000; // bytes for pictures: one of text has 50 to 300 kB, one of a page full of art some 3 MB
const DRAWN = /^\/documents\/[^/]+\/pages\/\d+\.png$/;
const PATIENCE = 3000; // milliseconds to wait for the network where a kept page could be shown
const SAME = { ignoreVary: true }; // languages and cookies differ, the address decides

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(tidy((name) => name.includes(VERSION) || name === "packs").then(() => self.clients.claim())));
self.addEventListener("message", (event) => event.waitUntil(Promise.all((event.data.keep || []).map(fetchAndKeep))));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith("/static/")) event.respondWith(still(request));
  else if (DRAWN.test(url.pathname)) event.respondWith(drawn(event));
  else if ((request.headers.get("Accept") || "").includes("text/html")) event.respondWith(page(event));
});

async function install() {
  await (await caches.open(SHELL)).addAll([...FILES, ...ALWAYS]);
  await self.skipWaiting();
}

async function tidy(stays) {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => !stays(name)).map((name) => caches.delete(name)));
}

// Static files carry their version in the address: what is kept is right.
async function still(request) {
  const kept = await caches.match(request, { ...SAME, ignoreSearch: !new URL(request.url).search }); // imported by another one: without a version
  if (kept) return kept;
  const fresh = await fetch(request);
  if (fresh.ok) await (await caches.open(SHELL)).put(request, fresh.clone());
  return fresh;
}

// A picture stays as it is as long as its index. Where it cannot be had, that of another width will do.
async function drawn(event) {
  const kept = await caches.match(event.request.url, SAME);
  if (kept) return kept;
  const fresh = await page(event);
  return (fresh.type === "error" && (await caches.match(event.request.url, { ...SAME, ignoreSearch: true }))) || fresh;
}

// The network first; what is kept where it fails or takes too long.
async function page(event) {
  const { request } = event;
  let keeping;
  const fresh = fetch(request).then((response) => {
    keeping = keep(request.url, response.clone());
    return response;
  });
  event.waitUntil(fresh.then(() => keeping).catch(() => undefined));
  const kept = await caches.match(request.url, SAME);
  const asks = request.mode === "navigate" && /^\/\?(.*&)?q=[^&]/.test(request.url.slice(location.origin.length)); // /offline may answer it
  try {
    return await (kept || (asks && (await caches.has("packs"))) ? Promise.race([fresh, late()]) : fresh);
  } catch {
    const instead = kept || (request.mode === "navigate" && (await caches.match(OFFLINE, SAME)));
    return instead || Response.error();
  }
}

function late() {
  return new Promise((_, reject) => setTimeout(reject, PATIENCE));
}

async function keep(address, response) {
  const index = response.headers.get("Regula-Index");
  const url = new URL(address);
  url.hash = "";
  if (!response.ok || response.redirected || !index) return;
  const sort = DRAWN.test(url.pathname) ? "drawn" : url.pathname === "/" && url.searchParams.get("q") ? "asked" : "read";
  const name = ALWAYS.includes(url.pathname) ? SHELL : `${sort}-${VERSION}-${index}`;
  await tidy((other) => other.startsWith("shell-") || other === "packs" || other.endsWith(`${VERSION}-${index}`));
  const cache = await caches.open(name);
  await cache.delete(url.href, SAME); // put at the end: the oldest goes first
  const content = await response.blob();
  const headers = new Headers(response.headers);
  headers.set("Regula-Size", content.size);
  await cache.put(url.href, new Response(content, { headers }));
  if (name !== SHELL) await trim(cache, MOST[sort], sort === "drawn" ? ROOM : Infinity);
}

// Keeps the last ones: as many as allowed, and as have room.
async function trim(cache, most, room) {
  const kept = (await cache.keys()).reverse();
  let taken = 0;
  for (const [place, request] of kept.entries()) {
    if (room < Infinity) taken += Number((await cache.match(request, SAME))?.headers.get("Regula-Size"));
    if (place >= most || (place && taken > room)) await cache.delete(request, SAME);
  }
}

async function fetchAndKeep(address) {
  const url = new URL(address, location.origin);
  url.hash = "";
  if (url.origin !== location.origin) return;
  if (!ALWAYS.includes(url.pathname) && (await caches.match(url.href, SAME))) return;
  try {
    await keep(url.href, await fetch(url.href, { headers: { Accept: DRAWN.test(url.pathname) ? "image/png" : "text/html" } }));
  } catch {
    // No network: the next visit tries again.
  }
}
