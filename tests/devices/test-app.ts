import assert from "node:assert/strict";
import { BRIDGE_PATH } from "../../lib/device-bridge/mod.ts";
import { CodeKeeper } from "../../lib/device-bridge/code.ts";
import { EditorKeys } from "../../lib/device-bridge/editor-keys.ts";
import { newNonce } from "../../lib/device-bridge/pairing.ts";
import { readEditorMessage } from "../../lib/device-bridge/protocol.ts";
import { type AskOutcome, BridgeSession } from "../../lib/device-bridge/session.ts";
import type { BridgeAsk } from "../../lib/device-bridge/mod.ts";
import { parseJson } from "../../lib/core/json-text.ts";
import type { MessageSocket } from "../../lib/ports/web-sockets.ts";
import { adapter } from "../contract/adapter.ts";
import { pngOf } from "../captures/fake-page.ts";

// An app as the bridge in a page is one, without the page: the same session, codes and keys.

export const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** What an app keeps between its runs. */
export function storage(): {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
} {
  const kept = new Map<string, string>();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
  };
}

/** An app that runs. */
export interface TestApp {
  readonly socket: MessageSocket;
  readonly keys: EditorKeys;
  /** What it says, as it says it. */
  readonly said: readonly string[];
  /** Settles with the code that it shows, `null` once it is paired without one. */
  readonly code: Promise<string | null>;
  /** Settles when an editor is trusted. */
  readonly paired: Promise<void>;
  say(message: unknown): void;
  log(text: string): void;
}

/** How an app differs. */
export interface TestAppOptions {
  readonly name?: string;
  readonly kept?: ReturnType<typeof storage>;
  readonly does?: (ask: BridgeAsk) => Promise<AskOutcome>;
}

const SCREEN = { width: 400, height: 800, rotation: 0 };

/** Does what a page would: its picture is of the size of its screen, and its scripts say "ran". */
function usual(ask: BridgeAsk): Promise<AskOutcome> {
  switch (ask.do) {
    case "screen":
      return Promise.resolve({ ok: true, screen: SCREEN });
    case "screenshot":
      return Promise.resolve({ ok: true, screen: SCREEN, picture: true, bytes: pngOf(400, 800) });
    case "touch":
      return Promise.resolve({ ok: true, done: true });
    case "eval":
      return Promise.resolve({ ok: true, text: '{"value":"ran","truncated":false,"threw":false}' });
  }
}

/** Connects to a service. @param url Of the service. */
export async function bridgeSocket(url: string): Promise<MessageSocket> {
  const bounds = { maxMessageBytes: 32 * 1024 * 1024, idleMs: 30_000 };
  const socket = await adapter.createWebSockets().connect(
    `${url.replace("http:", "ws:")}${BRIDGE_PATH}`,
    bounds,
  );
  assert.ok(socket.ok, socket.ok ? "" : socket.error.message);
  return socket.value;
}

export async function startApp(url: string, options: TestAppOptions = {}): Promise<TestApp> {
  const { name = "An app", kept = storage(), does = usual } = options;
  const socket = await bridgeSocket(url);
  const said: string[] = [];
  let showCode: (code: string | null) => void = () => {};
  const code = new Promise<string | null>((resolve) => showCode = resolve);
  let trust = () => {};
  const paired = new Promise<void>((resolve) => trust = resolve);
  const keys = new EditorKeys(kept, random);
  const session = new BridgeSession({
    host: { does },
    codes: new CodeKeeper({ random, now: () => performance.now(), show: showCode }),
    keys,
    nonce: newNonce(random),
    send(message) {
      if (typeof message === "string") said.push(message);
      socket.send(message);
    },
    close: () => socket.close(),
    onPaired() {
      showCode(null);
      trust();
    },
  });
  session.begin(name);
  void (async () => {
    for (let message; (message = await socket.receive()) !== null;) {
      session.take(typeof message === "string" ? readEditorMessage(parseJson(message)) : null);
    }
  })();
  return {
    socket,
    keys,
    said,
    code,
    paired,
    say: (message) => socket.send(JSON.stringify(message)),
    log: (text) => void session.log([{ t: 1, level: "log", text }]),
  };
}
