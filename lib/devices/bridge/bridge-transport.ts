import { type Problem, problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { MAX_BRIDGE_BYTES, readCode } from "../../device-bridge/mod.ts";
import type { MessageSocket, SocketBounds } from "../../ports/web-sockets.ts";
import type { Transport, VisibleDevices } from "../types/device.ts";
import { AppConnection, type AppPorts } from "./app-connection.ts";
import { BridgeAccess, type BridgeAccessParts, type BridgeOpen } from "./bridge-access.ts";
import { type BridgeCaller, callerId, OpenConnections } from "./open-connections.ts";

/** Maximum connected apps. */
const MAX_APPS = 16;
/** Apps of one caller that are not paired. */
const MAX_STRANGERS = 4;
/**
 * Maximum open connections of unpaired apps, including those that were dismissed but have not
 * closed yet.
 */
const MAX_OPEN = {
  ofOne: 2 * MAX_STRANGERS,
  ofNetwork: 4 * MAX_STRANGERS,
  ofAll: 8 * MAX_STRANGERS,
};

/** Bounds of an app's connection: a silent one ends before its greeting is due. */
export const BRIDGE_BOUNDS: SocketBounds = { maxMessageBytes: MAX_BRIDGE_BYTES, idleMs: 8_000 };

/** Apps that have connected themselves: builds with the device bridge. */
export class BridgeTransport implements Transport {
  readonly #ports: AppPorts;
  readonly #access: BridgeAccess;
  readonly #apps = new Map<AppConnection, BridgeCaller>();
  readonly #open = new OpenConnections(MAX_OPEN);
  #isClosed = false;

  constructor(ports: AppPorts & BridgeAccessParts) {
    this.#ports = ports;
    this.#access = new BridgeAccess(ports);
  }

  /** Apps that show a code. */
  get waiting(): number {
    return [...this.#apps.keys()].filter(({ isWaiting }) => isWaiting).length;
  }

  /**
   * The connected apps that are paired, each once: a reloaded page connects before its old
   * connection ends.
   */
  get connected(): readonly AppConnection[] {
    const paired = [...this.#apps.keys()].filter(({ isPaired }) => isPaired);
    return [...new Map(paired.map((app) => [app.entry.id, app])).values()];
  }

  /** Lets apps connect for 5 minutes, whatever the project sets. */
  beginPairing(): void {
    this.#access.beginPairing();
  }

  /**
   * Refuses further apps unless the project admits them, and dismisses those that wait to be
   * paired.
   */
  endPairing(): void {
    this.#access.endPairing();
    for (const stranger of this.#strangers()) stranger.close();
  }

  /** Returns why apps may connect now; `null` if none may. */
  open(): Promise<BridgeOpen | null> {
    return this.#access.open();
  }

  /** Why no app of a page of that origin may connect now; `null` when one may. */
  closedTo(origin: string | null): Promise<Problem | null> {
    return this.#access.refusal(origin);
  }

  /** Why no further app is let in from there: 503 `too-many-devices`; `null` when one may be. */
  refusal(caller: BridgeCaller): Problem | null {
    const excess = this.#open.excess(caller);
    const isFull = this.#isFull();
    if (!isFull && excess === null && !this.#isClosed) return null;
    const detail = isFull || excess === null
      ? `${this.#apps.size} apps are connected, expected fewer than ${MAX_APPS}`
      : `${excess.found} connections of apps have not ended, expected fewer than ${excess.most}`;
    return problem(503, "too-many-devices", detail, "Close some");
  }

  /**
   * Serves a connection of an app. It counts before its upgrade has completed, because many may
   * come at once.
   */
  async accept(coming: Promise<MessageSocket | null>, caller: BridgeCaller): Promise<void> {
    const gone = this.#open.add(caller);
    const socket = await coming;
    if (socket === null) return gone();
    socket.ended.then(gone);
    const app = new AppConnection(socket, this.#ports);
    if (this.#isFull() || this.#isClosed) return app.close();
    this.#pushOutFor(caller);
    this.#apps.set(app, caller);
    try {
      await app.run(gone);
    } finally {
      this.#apps.delete(app);
    }
  }

  async devices(): Promise<VisibleDevices> {
    const trouble = await this.#ports.paired.trouble();
    const notes = trouble === null ? [] : [`${trouble.detail}. ${trouble.hint}`];
    return { devices: this.connected, notes };
  }

  /**
   * Pairs the app that shows a code. @returns Its id, or 400 `bad-code`, 404 `nothing-to-pair`, 422
   * `wrong-code`.
   */
  async pair(typed: string, signal: AbortSignal): Promise<Result<string, Problem>> {
    const code = readCode(typed);
    if (code === null) {
      const detail = `${
        JSON.stringify(typed.slice(0, 40))
      } is not a code: expected 8 letters and digits`;
      return refuse(400, "bad-code", detail, "Type the code on the app's screen: ABCD EFGH");
    }
    this.beginPairing();
    const unpaired = [...this.#apps.keys()].filter(({ isWaiting }) => isWaiting);
    if (unpaired.length === 0) {
      return refuse(
        404,
        "nothing-to-pair",
        "No app waits to be paired",
        "Open a build with devices.bridge in project.config.json; its screen shows a code",
      );
    }
    // Concurrently, so that a silent app delays no other.
    const done = new AbortController();
    const ending = AbortSignal.any([signal, done.signal]);
    const paired = await Promise.any(unpaired.map(async (app) => {
      const proved = await app.prove(code, ending);
      return proved === "paired" ? app.entry.id : Promise.reject(new TypeError(proved));
    })).catch(() => null); // no app accepted the code
    done.abort();
    signal.throwIfAborted();
    return paired !== null ? ok(paired) : refuse(
      422,
      "wrong-code",
      "No app that waits to be paired shows that code",
      "Read its screen again: after three wrong codes, and after 5 minutes, it shows a new one",
    );
  }

  /**
   * Forgets an app, connected or not: it needs a code again.
   *
   * @returns Whether it was known; or why it cannot be forgotten, and nothing has changed.
   */
  async forget(id: string, signal: AbortSignal): Promise<Result<boolean, Problem>> {
    const forgotten = await this.#ports.paired.forget(id, signal);
    if (!forgotten.ok) return forgotten;
    const connected = [...this.#apps.keys()].filter((app) => app.isPaired && app.entry.id === id);
    for (const app of connected) app.close();
    return ok(forgotten.value || connected.length > 0);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const app of this.#apps.keys()) app.close();
    return Promise.resolve();
  }

  #isFull(): boolean {
    return this.#apps.size >= MAX_APPS && this.#strangers().length === 0;
  }

  #strangers(): readonly AppConnection[] {
    return [...this.#apps.keys()].filter(({ isPaired }) => !isPaired);
  }

  /**
   * Makes room: idle unpaired apps keep no other app out, first of all none of their own caller.
   */
  #pushOutFor(caller: BridgeCaller): void {
    const strangers = this.#strangers();
    const ofCaller = strangers.filter((app) => this.#isOf(app, caller));
    const [oldest] = ofCaller.length >= MAX_STRANGERS
      ? ofCaller
      : this.#apps.size >= MAX_APPS
      ? strangers
      : [];
    if (oldest === undefined) return;
    this.#apps.delete(oldest);
    oldest.drop();
  }

  #isOf(app: AppConnection, caller: BridgeCaller): boolean {
    const its = this.#apps.get(app);
    return its !== undefined && callerId(its) === callerId(caller);
  }
}
