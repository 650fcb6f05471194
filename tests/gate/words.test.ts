import assert from "node:assert/strict";
import { test } from "node:test";
import { countMarks, type Diagnostic, judgeWords, parseReport } from "../../scripts/gate/marks.ts";
import plugin, {
  marksOfComment,
  phrasesOf,
  phrasesOfComment,
  wordsOfName,
} from "../../scripts/gate/words.ts";

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

const COMMENTS: readonly (readonly [string, readonly string[]])[] = [
  ["* What a build lacks. ", ['"* What": begin with a verb or a noun']],
  ["* Missing tools, as a build reports them. ", []],
  [" it is\n * no file", ['"is no": is not a']],
  [" it is no longer there", []],
  [" 5 s from now", []],
  [" from now on", ['"from now on": leave it out']],
  [" the walk goes on", ['"goes on": continues']],
  [" who gives up", ['"gives up": aborts, cancels or times out']],
];
for (const [text, found] of COMMENTS) {
  test(`phrasesOfComment() ${JSON.stringify(text)}: ${found.join() || "nothing"}`, () =>
    assert.deepEqual(phrasesOfComment(text), found));
}

test("marksOfComment() finds words that are seldom right, each time", () => {
  assert.deepEqual(marksOfComment(" Nobody is told who lies beside it, by itself."), [
    "Nobody",
    "told",
    "who",
    "lies",
    "beside",
    "by itself",
  ]);
  assert.deepEqual(marksOfComment(" The caller reports it."), []);
});

const found = (filename: string, code: string): Diagnostic => ({
  filename,
  range: { start: { line: 3 } },
  message: "tells",
  code,
});
const FOUND = [
  found("file:///x/lib/editor/a.ts", "slipway/marks"),
  found("file:///x/lib/editor/b/c.ts", "slipway/marks"),
  found("/x/tests/a.test.ts", "slipway/marks"),
];

test("judgeWords() compares the marks of each room with its number, and takes no other word", () => {
  assert.deepEqual(countMarks(FOUND, "/x"), { "lib/editor": 2, tests: 1 });
  assert.deepEqual(judgeWords(FOUND, { "lib/editor": 2, tests: 4 }, "/x"), []);
  const [more = "", ...places] = judgeWords(FOUND, { "lib/editor": 1, tests: 4 }, "/x");
  assert.match(more, /^lib\/editor: comments have 2 words .*, expected at most 1 /);
  assert.deepEqual(places, ["lib/editor/a.ts:3: tells", "lib/editor/b/c.ts:3: tells"]);
  const [fresh = ""] = judgeWords(FOUND, { "lib/editor": 2 }, "/x");
  assert.match(fresh, /^tests: comments have 1 words .*, expected at most 0 /);
  const word = found("/x/lib/a.ts", "slipway/words");
  assert.deepEqual(judgeWords([word], {}, "/x"), ["lib/a.ts:3: tells"]);
});

test("parseReport() lists files that could not be checked; other text is not a report", () => {
  const diagnostics = FOUND.slice(0, 1);
  const errors = [{ file_path: "/x/lib/a.ts", message: "Unexpected eof" }];
  assert.deepEqual(parseReport(JSON.stringify({ version: 1, diagnostics, errors })), {
    found: diagnostics,
    problems: ["/x/lib/a.ts: Unexpected eof"],
  });
  for (const text of ["", "error: No target files found.", "{}"]) {
    assert.equal(parseReport(text), null, text);
  }
});

test("the plugin of words looks at names, texts and templates, wherever they stand", () => {
  const reports: string[] = [];
  const visitors = plugin.rules.words.create({
    filename: "/x/lib/a.ts",
    sourceCode: { getAllComments: () => [{ value: " the other than it goes on" }] },
    report: ({ message }) => reports.push(message),
  });
  visitors["Identifier"]?.({ name: "wish" });
  visitors["PrivateIdentifier"]?.({ name: "desk" });
  visitors["Literal"]?.({ value: "it is no file" });
  visitors["Literal"]?.({ value: 7 });
  visitors["TemplateElement"]?.({ cooked: "that is no " });
  visitors["Identifier"]?.({ name: "told" });
  visitors["Program"]?.({});
  assert.equal(reports.length, 6, reports.join("\n"));
});

const lint: unknown = Reflect.get(Reflect.get(globalThis, "Deno") ?? {}, "lint");
const runPlugin: unknown = typeof lint === "object" ? Reflect.get(lint ?? {}, "runPlugin") : null;

test("deno lint finds the words of a planted source, but not keys", {
  skip: typeof runPlugin !== "function" && "only Deno lints",
}, () => {
  const source =
    "// the heir stands anew\nexport const heir = (a: string) => `${a} is no file`;\n" +
    "export interface A { told: string }\nexport const b = ({ told }: A) => told;\n";
  assert.ok(typeof runPlugin === "function");
  const found: readonly { readonly message: string }[] = runPlugin(plugin, "planted.ts", source);
  assert.deepEqual(found.map(({ message }) => message).sort(), [
    '"anew": again',
    '"heir": successor',
    '"is no": is not a',
    ...Array(3).fill('"told": reported, or lastSeen'), // the key, the variable, its use
    "stands",
  ]);
});
