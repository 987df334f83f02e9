// Answers questions from the packs on the device, beside the page, which so stays quick. Takes {game, question, …} with a port, to which it
// answers {passages} or {fault}.
import { readPack, storedPack } from "./offline-packs.js";
import { openPack } from "./offline-search.js";

const opened = new Map(); // game → {index, search}: search a promise

addEventListener("message", async ({ data: { game, ...asked }, ports: [port] }) => {
  try {
    const { file, index } = await storedPack(game);
    if (opened.get(game)?.index !== index) opened.set(game, { index, search: readPack(file).then(openPack) });
    port.postMessage({ passages: (await opened.get(game).search)(asked) });
  } catch (fault) {
    opened.delete(game);
    port.postMessage({ fault: String(fault) });
  }
});
