// Asks the engine of the pages every question of a file, in node: lines of {game, edition, question, language, k} in, answers with
// the milliseconds of a processor that each took out. node offline_ask.mjs ENGINE PACKS < QUESTIONS
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [engineFile, packs] = process.argv.slice(2);
const { openPack } = await import(pathToFileURL(engineFile));
const engines = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { game, ...asked } = JSON.parse(line);
  if (!engines.has(game)) {
    const manifest = JSON.parse(await readFile(`${packs}/${game}.json`));
    const start = performance.now();
    engines.set(game, await openPack(manifest, ({ sha256 }) => readFile(`${packs}/fragments/${sha256}`)));
    while (!engines.get(game).warm(1000));
    console.error(`${game}: opened in ${Math.round(performance.now() - start)} ms`);
  }
  const start = process.cpuUsage();
  const answer = engines.get(game).ask(asked);
  const { user, system } = process.cpuUsage(start);
  console.log(JSON.stringify({ milliseconds: (user + system) / 1000, answer }));
}
