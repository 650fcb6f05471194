import { parseJson } from "../core/json-text.ts";
import { CodeKeeper } from "./code.ts";
import { type Consoles, ConsoleTap } from "./console-tap.ts";
import { EditorKeys, type KeyStorage } from "./editor-keys.ts";
import { showCodeOver } from "./overlay.ts";
import type { Failing, Socket } from "./page.ts";
import { afterFrame, pageHost } from "./page-host.ts";
import { newNonce } from "./pairing.ts";
import { BRIDGE_PATH, MAX_LOG_ENTRIES, readEditorMessage } from "./protocol.ts";
import { BridgeSession } from "./session.ts";

declare const localStorage: KeyStorage;
declare const console: Consoles;
declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };
declare const performance: { now(): number };
declare const WebSocket: new (url: string) => Socket;
declare function setTimeout(call: () => void, ms: number): number;
declare function setInterval(call: () => void, ms: number): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function addEventListener(type: string, listener: (event: Failing) => void): void;
declare function removeEventListener(type: string, listener: (event: Failing) => void): void;

/** Interval at which lines of the console are sent, in milliseconds. */
const LOG_MS = 250;
/** Wait before connecting again, in milliseconds; doubled after each failure. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Options of a bridge. */
export interface BridgeOptions {
  /** The editor's address: `ws://192.168.1.20:4747`. */
  readonly editor: string;
  /** The app's name, for the list of devices. */
  readonly name: string;
  /** Shows the code that the person types at the editor, or hides it; a small overlay when absent. */
  readonly showCode?: (code: string | null) => void;
  /**
   * Draws a frame and calls `look` in the same turn, since WebGL's drawing is lost with the next
   * one. When absent, the next frame is captured.
   */
  readonly draw?: (look: () => void) => Promise<void>;
}

/** A bridge that runs. */
export interface DeviceBridge {
  /** Forgets all paired editors, and disconnects from the current one. */
  forget(): void;
  /** Stops the bridge. */
  stop(): void;
}

/**
 * Connects this page to an editor, again and again until it is stopped. The editor sees and does
 * nothing before it has proved that it knows the code on the screen, or has been paired before.
 *
 * Only for builds that no player gets: a paired editor runs any script in the page.
 *
 * @example In the page of a game of one's own.
 * ```ts
 * import { startBridge } from "slipway/device-bridge";
 *
 * startBridge({ editor: "ws://192.168.1.20:4747", name: "My game" });
 * ```
 */
export function startBridge(options: BridgeOptions): DeviceBridge {
  const { name, editor, showCode = showCodeOver(), draw = afterFrame } = options;
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const keys = new EditorKeys(STORAGE, random);
  const codes = new CodeKeeper({ random, now: () => performance.now(), show: showCode });
  const host = pageHost(draw);
  const tap = new ConsoleTap(Date.now);
  let waitMs = FIRST_WAIT_MS;
  let again: number | undefined;
  let isStopped = false;
  let socket: Socket | null = null;
  let session: BridgeSession | null = null;

  const connect = () => {
    const opened = openSocket(new URL(BRIDGE_PATH, editor).href);
    if (opened === null) return;
    opened.binaryType = "arraybuffer";
    const made = new BridgeSession({
      host,
      codes,
      keys,
      nonce: newNonce(random),
      send: (message) => {
        if (opened.readyState === 1) opened.send(message);
      },
      close: () => opened.close(),
      onPaired: () => waitMs = FIRST_WAIT_MS,
    });
    [socket, session] = [opened, made];
    opened.onopen = () => made.begin(name);
    opened.onmessage = ({ data }) => {
      made.take(typeof data === "string" ? readEditorMessage(parseJson(data)) : null);
    };
    opened.onclose = () => {
      session = null;
      codes.end(); // the connection has ended
      if (isStopped) return;
      again = setTimeout(connect, waitMs);
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    };
  };

  const onFailure = ({ error, reason, message }: Failing) => {
    tap.hear("error", ["Uncaught", error ?? reason ?? message]);
  };
  // A browser keeps a page that was left, frozen: its socket would stay open without answering.
  const onLeft = () => socket?.close();
  tap.listen(console);
  addEventListener("error", onFailure);
  addEventListener("unhandledrejection", onFailure);
  addEventListener("pagehide", onLeft);
  const telling = setInterval(() => {
    session?.keepCode();
    tap.give(MAX_LOG_ENTRIES, (lines) => session?.log(lines) === true);
  }, LOG_MS);
  connect();
  return {
    forget() {
      keys.forget();
      socket?.close();
    },
    stop() {
      isStopped = true;
      clearTimeout(again);
      clearInterval(telling);
      tap.stop();
      removeEventListener("error", onFailure);
      removeEventListener("unhandledrejection", onFailure);
      removeEventListener("pagehide", onLeft);
      codes.end();
      socket?.close();
    },
  };
}

/** A page of `https:` may not even try a `ws:` but to its own device (Mixed Content §4.2): that is for good. */
function openSocket(url: string): Socket | null {
  try {
    return new WebSocket(url);
  } catch (thrown) {
    console.error(
      `The device bridge cannot connect to ${url}: ${String(thrown)}. Set devices.bridge to ` +
        "ws://127.0.0.1:4747 and run: adb reverse tcp:4747 tcp:4747; or to a wss: address",
    );
    return null;
  }
}

/** Looked up at each call: in a page without storage, merely naming it throws. */
const STORAGE: KeyStorage = {
  getItem: (name) => localStorage.getItem(name),
  setItem: (name, text) => localStorage.setItem(name, text),
};
