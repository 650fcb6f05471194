import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { withFolder } from "../support/folder.ts";
import { type Answer, bodyOf, textAnswer } from "../support/hostile-server.ts";
import { findProgram } from "../support/needs.ts";
import { assertOutcomes, bundleCases, bundleSubtle } from "./engine.ts";
import { buildHostileBucket } from "./hostile-bucket.ts";

// JavaScriptCore alone, without a web view around it: the floor. It reaches no server, so the same
// answers come from a table; and once without what is newer than ES2020.

const { skip, path: jsc } = findProgram({
  name: "jsc",
  places: [
    "/usr/bin/jsc",
    ...["4.1", "4.0"].map((v) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${v}/jsc`),
  ],
  asks: ["-e", "print(6 * 7)"],
  answers: /^42$/m,
  from: "Debian's package libjavascriptcoregtk-4.0-bin or newer",
});

const LATER = `
for (const [owner, names] of [
  [Object, ["hasOwn", "groupBy", "fromEntriesAsync"]],
  [Array.prototype, ["at", "findLast", "findLastIndex", "toSorted", "toReversed", "toSpliced", "with"]],
  [String.prototype, ["at", "replaceAll", "isWellFormed", "toWellFormed"]],
  [Uint8Array.prototype, ["toHex", "toBase64"]],
  [Object.getPrototypeOf(Uint8Array.prototype), ["at", "findLast", "toSorted", "with"]],
  [Promise, ["any", "withResolvers", "try"]],
  [DataView.prototype, ["getBigUint64", "getBigInt64", "setBigUint64"]],
  [globalThis, ["WeakRef", "FinalizationRegistry", "AggregateError", "structuredClone", "Iterator", "BigUint64Array"]],
]) for (const name of names) delete owner[name];
`;

for (
  const [name, before, subtle] of [
    ["as it is", "", false],
    ["with nothing newer than ES2020", LATER, false],
    ["with crypto.subtle", "", true],
  ] as const
) {
  test(
    `client in the bare JavaScriptCore shell, ${name}`,
    { skip },
    () =>
      withFolder(async (folder) => {
        const { publicKey, answers } = await buildHostileBucket();
        const origin = "https://bucket.example";
        const table = Object.fromEntries(
          Object.entries(answers).map(([path, answer]) => [path, decoded(answer)]),
        );
        const file = join(folder, "cases.js");
        writeFileSync(
          file,
          [
            before,
            readFileSync("tests/engines/shell-prelude.js", "utf8"),
            await (subtle ? bundleSubtle() : "var digests = 0;"),
            await bundleCases(),
            `const answers = ${JSON.stringify(table)};`,
            `runClientCases({ origin: "${origin}", publicKey: "${publicKey}", enforcesCors: true,`,
            `  fetch: fetchRecorded(answers, "${origin}") })`,
            "  .then((outcomes) => print(JSON.stringify({ outcomes, digests })))",
            "  .catch((thrown) => print(thrown)).then(() => quit());",
          ].join("\n"),
        );
        const output = await run(file);
        assert.match(output, /^{"outcomes":/, output.slice(0, 500));
        const { outcomes, digests } = JSON.parse(output);
        assertOutcomes(outcomes);
        assert.equal(digests > 0, subtle);
      }),
  );
}

function run(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: 60_000, maxBuffer: 2 ** 24 };
    execFile(jsc, [file], options, (error, out, err) => {
      if (error) reject(new Error(`${error.message}\n${out}\n${err}`));
      else resolve(out);
    });
  });
}

/** As a network layer hands an answer on: inflated once. What cannot be inflated breaks off. */
function decoded(answer: Answer): Answer {
  if (answer.headers?.["content-encoding"] !== "gzip") return answer;
  try {
    return textAnswer(gunzipSync(bodyOf(answer)));
  } catch {
    return { ...answer, ending: "cut" };
  }
}
