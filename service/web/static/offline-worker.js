// Answers questions from the packs on the device, beside the page, which so stays quick. Takes {id, game, question, …}, returns {id, answer} or
// {id, fault}.
import { openPack } from "./offline-engine.js";
import { fragment, storedPack } from "./offline-packs.js";

const WARMING = 20; // milliseconds at once
const engines = new Map(); // game → {index, engine}: engine a promise

async function engineOf(game) {
  const { manifest } = (await storedPack(game)) ?? {};
  if (!manifest) throw new Error(`nothing of ${game} is loaded`);
  if (engines.get(game)?.index !== manifest.index) {
    engines.set(game, { index: manifest.index, engine: openPack(manifest, ({ sha256 }) => fragment(sha256)) });
    engines.get(game).engine.then(warm, () => undefined);
  }
  return engines.get(game).engine;
}

// Works out beforehand what questions need, a little at a time: a question that comes meanwhile waits for no more than that.
function warm(engine) {
  if (engine.warm && !engine.warm(WARMING)) setTimeout(warm, 0, engine);
}

addEventListener("message", async ({ data: { id, game, ...asked } }) => {
  try {
    postMessage({ id, answer: (await engineOf(game)).ask(asked) });
  } catch (fault) {
    engines.delete(game);
    postMessage({ id, fault: String(fault) });
  }
});
