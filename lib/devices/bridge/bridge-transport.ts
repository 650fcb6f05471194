import { type Problem, problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { MAX_BRIDGE_BYTES, readCode } from "../../device-bridge/mod.ts";
import type { MessageSocket, SocketBounds } from "../../ports/web-sockets.ts";
import type { Look, Transport } from "../types/device.ts";
import { OpenConnections } from "./open-connections.ts";
import { AppConnection, type AppPorts, deviceIdOf } from "./app-connection.ts";

/** Apps that are connected at once. */
const MAX_APPS = 16;
/**
 * Connections that have not ended: with those that were sent away and do not go. Half a message of each
 * is kept, and Deno has no way to end a connection whose other end does not answer the close. Who does so
 * keeps out phones of its own address alone.
 */
const MAX_OPEN = { ofOne: 2 * MAX_APPS, ofAll: 4 * MAX_APPS };

/** What an editor promises itself of an app's connection. */
export const BRIDGE_BOUNDS: SocketBounds = { maxMessageBytes: MAX_BRIDGE_BYTES, idleMs: 15_000 };

/** Apps that have connected themselves: builds with the device bridge. */
export class BridgeTransport implements Transport {
  readonly #ports: AppPorts;
  readonly #apps = new Set<AppConnection>();
  readonly #open = new OpenConnections(MAX_OPEN);
  #isClosed = false;

  constructor(ports: AppPorts) {
    this.#ports = ports;
  }

  /** Why no further app is let in from there: 503 `too-many-devices`; `null` when one may be. */
  refusal(address: string): Problem | null {
    const excess = this.#open.excess(address);
    const isFull = this.#isFull();
    if (!isFull && excess === null && !this.#isClosed) return null;
    const detail = isFull || excess === null
      ? `${this.#apps.size} apps are connected, expected fewer than ${MAX_APPS}`
      : `${excess.found} connections of apps have not ended, expected fewer than ${excess.most}`;
    return problem(503, "too-many-devices", detail, "Close some");
  }

  /** Takes a connection of an app, which counts before it is one: many may come at once. */
  async accept(coming: Promise<MessageSocket | null>, address: string): Promise<void> {
    const gone = this.#open.add(address);
    const socket = await coming;
    if (socket === null) return gone();
    socket.ended.then(gone);
    const app = new AppConnection(socket, this.#ports);
    if (this.#isFull() || this.#isClosed) return app.close();
    if (this.#apps.size >= MAX_APPS) this.#pushOut();
    this.#apps.add(app);
    try {
      await app.run();
    } finally {
      this.#apps.delete(app);
    }
  }

  devices(): Promise<Look> {
    return Promise.resolve({ devices: this.#shown(), notes: [] });
  }

  /** Pairs the app that shows a code. @returns 400 `bad-code`, 404 `nothing-to-pair`, 422 `wrong-code`. */
  async pair(typed: string, signal: AbortSignal): Promise<Result<string, Problem>> {
    const code = readCode(typed);
    if (code === null) {
      const detail = `${
        JSON.stringify(typed.slice(0, 40))
      } is not a code: expected 8 letters and digits`;
      return refuse(400, "bad-code", detail, "Type the code on the app's screen: ABCD EFGH");
    }
    const unpaired = [...this.#apps].filter(({ entry, app }) =>
      app !== null && entry.state === "unpaired"
    );
    if (unpaired.length === 0) {
      return refuse(
        404,
        "nothing-to-pair",
        "No app waits to be paired",
        "Open a build with devices.bridge in project.config.json; its screen shows a code",
      );
    }
    // All at once: one that says nothing holds up no other.
    const done = new AbortController();
    const ending = AbortSignal.any([signal, done.signal]);
    const paired = await Promise.any(unpaired.map(async (app) => {
      const proved = await app.prove(code, ending);
      return proved === "paired" ? app.entry.id : Promise.reject(new TypeError(proved));
    })).catch(() => null); // none was
    done.abort();
    signal.throwIfAborted();
    return paired !== null ? ok(paired) : refuse(
      422,
      "wrong-code",
      "No app that waits to be paired shows that code",
      "Read its screen again: after three wrong codes, and after 5 minutes, it shows a new one",
    );
  }

  /** Forgets an app, also one that is not connected: it needs a code again. @returns Whether it was known. */
  async forget(id: string): Promise<boolean> {
    const wasPaired = await this.#ports.paired.forget((app) => deviceIdOf(app) === id);
    const connected = [...this.#apps].filter(({ app, entry }) => app !== null && entry.id === id);
    for (const app of connected) app.close();
    return wasPaired || connected.length > 0;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const app of this.#apps) app.close();
    return Promise.resolve();
  }

  /**
   * Each app once: a page that was loaded again is connected before its old connection ends. Who only
   * says that it is an app stands behind the one that has proved it.
   */
  #shown(): readonly AppConnection[] {
    const shown = new Map<string, AppConnection>();
    for (const app of this.#apps) {
      if (app.app === null) continue;
      const { id } = app.entry;
      if (app.isPaired || shown.get(id)?.isPaired !== true) shown.set(id, app);
    }
    return [...shown.values()];
  }

  #isFull(): boolean {
    return this.#apps.size >= MAX_APPS && this.#oldestStranger() === undefined;
  }

  #oldestStranger(): AppConnection | undefined {
    return [...this.#apps].find(({ isPaired }) => !isPaired);
  }

  /** Makes room: strangers who do nothing keep out nobody. */
  #pushOut(): void {
    const oldest = this.#oldestStranger();
    if (oldest === undefined) return;
    this.#apps.delete(oldest);
    oldest.close();
  }
}
