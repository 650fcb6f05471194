import assert from "node:assert/strict";
import { test } from "node:test";
import plugin, { phrasesOf, wordsOfName } from "../../scripts/gate/words.ts";

const NAMES: readonly (readonly [string, readonly string[]])[] = [
  ["sceneDesk", ['"desk": session or registry']],
  ["MAX_HEIRS", []], // whole words only
  ["HEIR_FILE", ['"heir": successor']],
  ["#wish", ['"wish": request']],
  ["desktop", []],
  ["outstanding", []],
  ["readBucketState", []],
];
for (const [name, found] of NAMES) {
  test(`wordsOfName() ${name}: ${found.join() || "nothing"}`, () =>
    assert.deepEqual(wordsOfName(name), found));
}

const MESSAGES: readonly (readonly [string, readonly string[]])[] = [
  ["Cannot use x: that is no folder", ['"is no": is not a']],
  ["There is no entity 7", []],
  ["it is no longer there", []],
  ["The keys of a are none", ['"are none": is missing, or invalid']],
  ["The publish was given up", ['"was given up": was cancelled']],
  ["it begins anew", ['"anew": again']],
  ["its successor is `x.heir`", []],
  ["the heir", ['"heir": successor']],
  ["recommended", []],
];
for (const [text, found] of MESSAGES) {
  test(`phrasesOf() ${text}: ${found.join() || "nothing"}`, () =>
    assert.deepEqual(phrasesOf(text), found));
}

test("the plugin of words looks at names, texts and templates, wherever they stand", () => {
  const reports: string[] = [];
  const visitors = plugin.rules.words.create({ report: ({ message }) => reports.push(message) });
  visitors["Identifier"]?.({ name: "wish" });
  visitors["PrivateIdentifier"]?.({ name: "desk" });
  visitors["Literal"]?.({ value: "it is no file" });
  visitors["Literal"]?.({ value: 7 });
  visitors["TemplateElement"]?.({ cooked: "that is no " });
  assert.equal(reports.length, 4, reports.join("\n"));
});

const lint: unknown = Reflect.get(Reflect.get(globalThis, "Deno") ?? {}, "lint");
const runPlugin: unknown = typeof lint === "object" ? Reflect.get(lint ?? {}, "runPlugin") : null;

test("deno lint finds the words of a planted source, not its comments, nor former names", {
  skip: typeof runPlugin !== "function" && "only Deno lints",
}, () => {
  const source =
    "// the heir stands anew\nexport const heir = (a: string) => `${a} is no file`;\n" +
    'export const tool = { formerNames: { anew: "reinstall" } };\n';
  assert.ok(typeof runPlugin === "function");
  const found: readonly { readonly message: string }[] = runPlugin(plugin, "planted.ts", source);
  assert.deepEqual(found.map(({ message }) => message).sort(), [
    '"heir": successor',
    '"is no": is not a',
  ]);
});
