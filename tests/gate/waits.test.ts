import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import plugin, { EXCEPTIONS, waitsOfText } from "../../scripts/gate/waits.ts";

const POLL = /loop that awaits a timer.*until\(what, condition\) of tests\/support\/until\.ts/;
const SLEEP = /sleep of 20 ms or more.*until\(what, condition\) of tests\/support\/until\.ts/;

const lint: unknown = Reflect.get(Reflect.get(globalThis, "Deno") ?? {}, "lint");
const runPlugin: unknown = typeof lint === "object" ? Reflect.get(lint ?? {}, "runPlugin") : null;
const skip = typeof runPlugin !== "function" && "only Deno lints";

function messagesOf(file: string, source: string): readonly string[] {
  assert.ok(typeof runPlugin === "function");
  const found: readonly { readonly message: string }[] = runPlugin(plugin, file, source);
  return found.map(({ message }) => message);
}

const TIMER = "new Promise((done) => setTimeout(done, 5))";
const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ["a while loop", `while (!seen()) await ${TIMER};`, POLL],
  ["a for loop", `for (let n = 0; n < 9 && !seen(); n++) { await ${TIMER}; }`, POLL],
  ["a do loop", `do { await clock.sleep(1); } while (!seen());`, POLL],
  ["a for-of loop", `for (const one of all) await page.waitForTimeout(1);`, POLL],
  ["the header of a loop", `while (await delay(1) !== seen());`, POLL],
  ["a loop over a turn", `while (!seen()) await new Promise((done) => setTimeout(done, 0));`, POLL],
  [
    "a loop over a timer by another name",
    `import { setTimeout as rest } from "node:timers/promises"; for (;;) await rest(5);`,
    POLL,
  ],
  [
    "a loop over a function that is a timer",
    `const turn = () => ${TIMER}; for (;;) await turn();`,
    POLL,
  ],
  [
    "a loop over a declared one",
    `function turn() { return ${TIMER}; } for (;;) await turn();`,
    POLL,
  ],
  [
    "a loop over an asynchronous one",
    `const nap = async () => { await ${TIMER}; }; for (;;) await nap();`,
    POLL,
  ],
  ["a sleep", `await page.waitForTimeout(100);`, SLEEP],
  ["a sleep of 20 ms", `await clock.sleep(20, signal);`, SLEEP],
  ["a sleep with separators", `await new Promise((done) => setTimeout(done, 1_000));`, SLEEP],
  ["a sleep of a constant", `const PAUSE_MS = 500; await clock.sleep(PAUSE_MS);`, SLEEP],
  [
    "a loop in a page",
    `await run("while (!seen) await new Promise((r) => setTimeout(r, 5))");`,
    POLL,
  ],
  ["a sleep in a page", "run(`await new Promise((r) => setTimeout(r, 500));`);", SLEEP],
];
const ALLOWED: readonly (readonly [string, string])[] = [
  ["until()", `await until("it is seen", () => seen());`],
  ["a turn of the event loop", `await new Promise((done) => setTimeout(done, 0));`],
  ["a sleep of 19 ms", `await clock.sleep(19);`],
  ["a timer that nothing awaits", `while (more()) setTimeout(abort, 50);`],
  [
    "a deadline in a race",
    `await Promise.race([end, new Promise((no) => setTimeout(no, 9_000))]);`,
  ],
  ["a loop that awaits something else", `for (const one of all) await one.read();`],
  [
    "a clock of a test",
    `const clock = { sleep: () => new Promise((done) => setTimeout(done, 0)) };`,
  ],
  ["a test in a loop", `for (const one of all) test(one, async () => { await clock.sleep(5); });`],
];

test("the plugin of waits refuses loops over timers and fixed sleeps", { skip }, () => {
  for (const [name, source, message] of REFUSED) {
    const found = messagesOf("/x/tests/planted.test.ts", source);
    assert.equal(found.length, 1, `${name}: ${found.join()}`);
    assert.match(found[0] ?? "", message, name);
  }
});

test("the plugin of waits takes until(), turns, deadlines and fake clocks", { skip }, () => {
  for (const [name, source] of ALLOWED) {
    assert.deepEqual(messagesOf("/x/tests/planted.test.ts", source), [], name);
  }
});

test("an exception is for as many waits as it says, and for those alone", { skip }, () => {
  const [{ file, waits } = { file: "", waits: 0 }] = EXCEPTIONS;
  const wait = `while (!seen()) await ${TIMER};\n`;
  assert.deepEqual(messagesOf(`/x/${file}`, wait.repeat(waits)), []);
  assert.equal(messagesOf(`/x/${file}`, wait.repeat(waits + 1)).length, waits + 1);
  assert.match(
    messagesOf(`/x/${file}`, "")[0] ?? "",
    /Found 0 waits, expected 1: lower EXCEPTIONS/,
  );
});

test("the exceptions are of files that exist, and become fewer", () => {
  for (const { file, reason } of EXCEPTIONS) assert.ok(existsSync(file) && reason !== "", file);
  const waits = EXCEPTIONS.reduce((sum, one) => sum + one.waits, 0);
  assert.ok(EXCEPTIONS.length <= 10 && waits <= 16, `${waits} waits of ${EXCEPTIONS.length} files`);
});

const TEXTS: readonly (readonly [string, RegExp | null])[] = [
  ["while (!seen) await new Promise((done) => setTimeout(done, 5));", POLL],
  ["do {\n  await new Promise((done) => setTimeout(done, 0));\n} while (more);", POLL],
  ["await new Promise((done) => setTimeout(done, 60_000));", SLEEP],
  ["await new Promise((done) => setTimeout(done)); game.show();", null],
  ["setTimeout(abort, 50); await seen;", null],
  ["waits for what comes while setTimeout() is slow", null],
];
test("waitsOfText() finds the waits of scripts that run elsewhere", () => {
  for (const [text, message] of TEXTS) {
    const found = waitsOfText(text);
    assert.equal(found.length, message === null ? 0 : 1, text);
    if (message !== null) assert.match(found[0] ?? "", message);
  }
});
