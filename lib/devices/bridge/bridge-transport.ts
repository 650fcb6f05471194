import { type Problem, problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { MAX_BRIDGE_BYTES, readCode } from "../../device-bridge/mod.ts";
import type { MessageSocket, SocketBounds } from "../../ports/web-sockets.ts";
import type { Device, Look, Transport } from "../types/device.ts";
import { AppConnection, type AppPorts } from "./app-connection.ts";

/** Apps that are connected at once. */
const MAX_APPS = 16;

/** What an editor promises itself of an app's connection. */
export const BRIDGE_BOUNDS: SocketBounds = { maxMessageBytes: MAX_BRIDGE_BYTES, idleMs: 15_000 };

/** Apps that have connected themselves: builds with the device bridge. */
export class BridgeTransport implements Transport {
  readonly #ports: AppPorts;
  readonly #apps = new Set<AppConnection>();
  #isClosed = false;

  constructor(ports: AppPorts) {
    this.#ports = ports;
  }

  /** Why no further app is let in: 503 `too-many-devices`; `null` when one may be. */
  refusal(): Problem | null {
    return this.#apps.size < MAX_APPS && !this.#isClosed ? null : problem(
      503,
      "too-many-devices",
      `${this.#apps.size} apps are connected, expected fewer than ${MAX_APPS}`,
      "Close some",
    );
  }

  /** Takes a connection of an app. */
  async accept(socket: MessageSocket): Promise<void> {
    const app = new AppConnection(socket, this.#ports);
    if (this.refusal() !== null) return app.close();
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
    for (const app of unpaired) {
      if (await app.prove(code, signal) === "paired") return ok(app.entry.id);
    }
    return refuse(
      422,
      "wrong-code",
      "No app that waits to be paired shows that code",
      "Read its screen again: after three wrong codes, and after 5 minutes, it shows a new one",
    );
  }

  /** Forgets an app: it needs a code again. @returns 404 `no-such-device`. */
  async forget(device: Device): Promise<void> {
    const app = [...this.#apps].find((one) => one === device);
    if (app === undefined || app.app === null) return;
    await this.#ports.paired.forget(app.app);
    app.close();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const app of this.#apps) app.close();
    return Promise.resolve();
  }

  /** Each app once: a page that was loaded again is connected before its old connection ends. */
  #shown(): readonly AppConnection[] {
    const newest = new Map<string, AppConnection>();
    for (const app of this.#apps) if (app.app !== null) newest.set(app.app, app);
    return [...newest.values()];
  }
}
