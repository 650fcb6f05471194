import assert from "node:assert/strict";
import { test } from "node:test";
import { CodeKeeper } from "../../lib/device-bridge/code.ts";
import { ConsoleTap } from "../../lib/device-bridge/console-tap.ts";
import { EditorKeys } from "../../lib/device-bridge/editor-keys.ts";
import type { BridgeAsk } from "../../lib/device-bridge/mod.ts";
import {
  keyOf,
  type Meeting,
  newNonce,
  proofOf,
  readCode,
} from "../../lib/device-bridge/pairing.ts";
import type { AppMessage, EditorMessage } from "../../lib/device-bridge/protocol.ts";
import { BridgeSession } from "../../lib/device-bridge/session.ts";
import { random, storage } from "./test-app.ts";

// What an app does for whom, by a clock that is set by hand.

const EDITOR = newNonce(random);
const FIVE_MINUTES = 5 * 60_000;

/** Runs it in a page whose objects all refuse to become JSON. */
async function amongToJson<T>(work: () => T | Promise<T>): Promise<T> {
  const toJSON = () => {
    throw new Error("no JSON of mine");
  };
  Object.defineProperty(Object.prototype, "toJSON", { value: toJSON, configurable: true });
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(Object.prototype, "toJSON");
  }
}

/** A page: its codes and keys outlive its connections. */
class Page {
  now = 0;
  /** The code on its screen. */
  code: string | null = null;
  /** What was done with it. */
  readonly done: BridgeAsk[] = [];
  readonly keys = new EditorKeys(storage(), random);
  readonly codes = new CodeKeeper({
    random,
    now: () => this.now,
    show: (code) => this.code = code === null ? null : readCode(code),
  });

  /** A connection to an editor that meets it. */
  connect(proof: (meeting: Meeting) => string | undefined = () => undefined): Connection {
    return new Connection(this, proof);
  }
}

class Connection {
  readonly said: AppMessage[] = [];
  isClosed = false;
  readonly meeting: Meeting;
  readonly session: BridgeSession;

  constructor(page: Page, proof: (meeting: Meeting) => string | undefined) {
    const nonce = newNonce(random);
    this.session = new BridgeSession({
      host: {
        does(ask) {
          page.done.push(ask);
          return Promise.resolve({ ok: true, done: true });
        },
      },
      codes: page.codes,
      keys: page.keys,
      nonce,
      send: (message) => void (typeof message === "string" && this.said.push(JSON.parse(message))),
      close: () => this.isClosed = true,
      onPaired: () => undefined,
    });
    this.session.begin("A page");
    const editorNonce = newNonce(random);
    this.meeting = { app: page.keys.app, editor: EDITOR, appNonce: nonce, editorNonce };
    const known = proof(this.meeting);
    this.take({ say: "meet", editor: EDITOR, nonce: editorNonce, ...(known && { proof: known }) });
  }

  take(message: EditorMessage | null): void {
    this.session.take(message);
  }

  /** Proves with a code. @returns What the app says to that. */
  prove(code: string, by: "editor" | "app" = "editor"): unknown {
    this.take({ say: "prove", proof: proofOf(code, by, this.meeting) });
    return this.said.at(-1);
  }
}

const WRONG = "22222222";

test("an app trusts who knows its code, proves it in turn, and shows it no more (DEV-41)", () => {
  const page = new Page();
  const one = page.connect();
  const code = page.code ?? "";
  assert.match(code, /^[2-9A-HJ-NP-Z]{8}$/);
  one.take({ say: "prove", proof: proofOf(code, "editor", one.meeting) });
  assert.deepEqual(one.said.at(-1), { say: "paired", proof: proofOf(code, "app", one.meeting) });
  assert.equal(page.code, null);
  one.take({ say: "ask", id: 1, ask: { do: "screen" } });
  assert.deepEqual(page.done, [{ do: "screen" }]);
  const key = keyOf(code, one.meeting);
  const two = page.connect((meeting) => proofOf(key, "editor", meeting));
  assert.deepEqual(two.said.at(-1), { say: "paired", proof: proofOf(key, "app", two.meeting) });
  assert.equal(page.code, null);
  page.keys.forget();
  const three = page.connect((meeting) => proofOf(key, "editor", meeting));
  assert.deepEqual(three.said.at(-1), { say: "code" });
});

test("a code outlives two wrong proofs, over however many connections (DEV-41)", () => {
  const page = new Page();
  const one = page.connect();
  const code = page.code ?? "";
  assert.deepEqual(one.prove(WRONG), { say: "wrong", left: 2 });
  const two = page.connect();
  assert.equal(page.code, code);
  assert.deepEqual(two.prove(WRONG), { say: "wrong", left: 1 });
  assert.deepEqual([one.isClosed, two.isClosed], [false, false]);
  assert.deepEqual(one.prove(WRONG), { say: "wrong", left: 0 });
  assert.deepEqual([one.isClosed, page.code], [true, null]);
  assert.deepEqual(two.prove(code), { say: "wrong", left: 0 });
  page.connect();
  assert.notEqual(page.code, code);
});

for (const [ms, isGood] of [[FIVE_MINUTES - 1, true], [FIVE_MINUTES, false]] as const) {
  test(`a code ${isGood ? "can" : "cannot"} be used after ${ms} ms (DEV-41)`, () => {
    const page = new Page();
    const one = page.connect();
    const code = page.code ?? "";
    page.now = ms;
    const said = Object(one.prove(code)).say;
    assert.equal(said, isGood ? "paired" : "wrong");
    assert.equal(one.isClosed, !isGood);
    page.connect().session.keepCode();
    assert.notEqual(page.code, code);
  });
}

for (
  const [what, act] of [
    [
      "a proof of another connection",
      (one: Connection, code: string, before: Connection) =>
        one.take({ say: "prove", proof: proofOf(code, "editor", before.meeting) }),
    ],
    ["an app's proof, given back", (one: Connection, code: string) => void one.prove(code, "app")],
    [
      "an order before it has proved",
      (one: Connection) => one.take({ say: "ask", id: 1, ask: { do: "eval", script: "1" } }),
    ],
    [
      "a second meeting",
      (one: Connection) => one.take({ say: "meet", editor: EDITOR, nonce: newNonce(random) }),
    ],
    ["what is no message", (one: Connection) => one.take(null)],
  ] as const
) {
  test(`an app does nothing for an editor that gives ${what} (DEV-41)`, () => {
    const page = new Page();
    const before = page.connect();
    const one = page.connect();
    act(one, page.code ?? "", before);
    one.take({ say: "ask", id: 2, ask: { do: "eval", script: "2" } });
    assert.deepEqual(page.done, []);
    assert.ok(!one.said.some(({ say }) => say === "paired"));
    assert.ok(one.isClosed);
  });
}

test("an editor that proves twice is sent away (DEV-41)", () => {
  const page = new Page();
  const one = page.connect();
  const code = page.code ?? "";
  one.prove(code);
  assert.equal(one.isClosed, false);
  one.prove(code);
  assert.equal(one.isClosed, true);
});

test("an app says what it has to say in a page whose objects refuse to become JSON", async () => {
  const said: string[] = [];
  const kept = storage();
  const thrown = { toString: () => assert.fail("no text of mine") };
  await amongToJson(async () => {
    const keys = new EditorKeys(kept, random);
    const codes = new CodeKeeper({ random, now: () => 0, show: () => {} });
    const nonce = newNonce(random);
    const answered = new Promise<void>((resolve) => {
      const session = new BridgeSession({
        host: {
          does: ({ do: what }) => what === "screen" ? Promise.reject(thrown) : assert.fail(what),
        },
        codes,
        keys,
        nonce,
        send(message) {
          said.push(String(message));
          if (said.length === 4) resolve();
        },
        close: () => assert.fail("the connection is closed"),
        onPaired: () => {},
      });
      const editorNonce = newNonce(random);
      session.begin('A "game"');
      session.take({ say: "meet", editor: EDITOR, nonce: editorNonce });
      const meeting = { app: keys.app, editor: EDITOR, appNonce: nonce, editorNonce };
      session.take({ say: "prove", proof: proofOf(codes.code() ?? "", "editor", meeting) });
      session.take({ say: "ask", id: 1, ask: { do: "screen" } });
    });
    await answered;
  });
  const [hello, code, paired, answer] = said.map((one) => JSON.parse(one));
  assert.deepEqual([hello.name, code, paired.say], ['A "game"', { say: "code" }, "paired"]);
  assert.deepEqual(answer, {
    say: "answer",
    id: 1,
    ok: false,
    code: "failed",
    detail: "something that has no text",
  });
  assert.equal(new EditorKeys(kept, random).of(EDITOR)?.length, 64); // the key was kept
});

test("a console goes on after a value that becomes no text", () => {
  const tap = new ConsoleTap(() => 0);
  const error = new Error("broken");
  Object.defineProperty(error, "stack", { value: { toString: () => assert.fail("no text") } });
  tap.hear("error", [error]);
  tap.hear("log", ["next"]);
  tap.give(10, (lines) => {
    assert.deepEqual(lines.map(({ text }) => text), ["something that has no text", "next"]);
    return true;
  });
});
