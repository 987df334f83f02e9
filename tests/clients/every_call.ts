// Makes every kind of call through generated types and prints what came back; it compiles only where the types are what they should be.
import createClient from "openapi-fetch";
import { files } from "./files.js";
import type { components, paths } from "./regula.js";

type Schemas = components["schemas"];

// What may be missing is optional, in what is sent and in what comes back; what may be null is there.
const least: Schemas["Ask"] = { question: "Darf ein Lotse angreifen?" };
const budgeted: Schemas["ContextBody"] = { question: least.question, game: "pegelwacht" };
type Optional<T, K extends keyof T> = undefined extends T[K] ? true : false;
const parts: Optional<Schemas["WholeAnswer"], "parts"> = true;
const fallback: Optional<Schemas["WholeAnswer"], "fallback"> = false;
// An id is a text: a rulebook of tomorrow is no error of today.
const game: string = `some-${"game"}`;
const tomorrow: Schemas["Ask"] = { question: least.question, game };

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("no answer");
  return value;
}

const client = createClient<paths>({ baseUrl: process.env.REGULA });
const answer: Schemas["Answer"] = present((await client.POST("/v1/ask", { body: { ...least, game: "pegelwacht", k: 3 } })).data);
const best = present(answer.passages[0]);
const context: Schemas["Context"] = present((await client.POST("/v1/context", { body: budgeted })).data);
const verification = present((await client.POST("/v1/verify", { body: { text: `„${best.display}“` } })).data);
const terms: Schemas["Terms"] = present((await client.GET("/v1/terms", { params: { query: { game: "pegelwacht" } } })).data);
const sides = { left: "pegelwacht-de-1.1", right: "pegelwacht-it-1.1" };
const comparison = present((await client.GET("/v1/compare/{left}/{right}", { params: { path: sides } })).data);
const refused = await client.GET("/v1/compare/{left}/{right}", { params: { path: { ...sides, right: "no-such" } } });
const problem: Schemas["ProblemDetails"] = present(refused.error);

const sizes: Record<string, number> = {};
for (const [name, download] of Object.entries(files(client))) sizes[name] = present((await download()).data).byteLength;

console.log(
  JSON.stringify({
    label: best.label,
    marked: context.prompt.includes(present(context.passages[0]).marker),
    verdict: verification.verdict,
    languages: terms.languages,
    right: comparison.right,
    refused: problem.status,
    files: sizes,
    optional: [parts, fallback, tomorrow.game === game],
  }),
);
