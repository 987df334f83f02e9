// Answers questions from the packs on the device, beside the page, which so stays quick. Takes {id, game, question, …}, returns {id, passages} or
// {id, fault}.
import { storedPack } from "./offline-packs.js";
import { openPack, readPack } from "./offline-search.js";

const opened = new Map(); // game → {index, search}: search a promise

async function searchOf(game) {
  const { file, index } = (await storedPack(game)) ?? {};
  if (!file) throw new Error(`nothing of ${game} is loaded`);
  if (opened.get(game)?.index !== index) opened.set(game, { index, search: readPack(file).then(openPack) });
  return opened.get(game).search;
}

addEventListener("message", async ({ data: { id, game, ...asked } }) => {
  try {
    const search = await searchOf(game);
    postMessage({ id, passages: search(asked) });
  } catch (fault) {
    opened.delete(game);
    postMessage({ id, fault: String(fault) });
  }
});
