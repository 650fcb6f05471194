import { isLoopback } from "../../core/loopback.ts";
import type { Listening } from "../../ports/listen.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { createAppServer, type RunningApp } from "./app-server.ts";

/** Origins of the editor's page that are known. */
const MAX_ORIGINS = 8;

/** What serves the app's page, on an origin of its own: from when a page first frames it. */
export class AppPages {
  readonly #parts: Pick<Runtime, "files" | "listen">;
  readonly #running: () => RunningApp | null;
  readonly #origins: string[] = [];
  #server: Promise<Listening | null> | null = null;

  constructor(parts: Pick<Runtime, "files" | "listen">, running: () => RunningApp | null) {
    this.#parts = parts;
    this.#running = running;
  }

  /** The origin, for a page of another one that shall frame it; `null` where it may not, or none serves. */
  async frameFor(origin: string): Promise<string | null> {
    if (!URL.canParse(origin) || !isLoopback(new URL(origin).hostname)) return null;
    if (!this.#origins.includes(origin)) {
      this.#origins.push(origin);
      if (this.#origins.length > MAX_ORIGINS) this.#origins.shift();
    }
    this.#server ??= this.#serve();
    return (await this.#server)?.url ?? null;
  }

  /** The address of the page of the app that runs; `null` where none does, or nobody has framed it. */
  async address(): Promise<string | null> {
    const server = await this.#server;
    const running = this.#running();
    return running === null || server === null ? null : `${server.url}/${running.key}/`;
  }

  async close(): Promise<void> {
    await (await this.#server)?.close();
  }

  async #serve(): Promise<Listening | null> {
    const { files, listen } = this.#parts;
    const handler = createAppServer({
      files,
      running: this.#running,
      framedBy: () => this.#origins,
    });
    const server = await listen?.(handler, { hostname: "127.0.0.1", port: 0 });
    return server?.ok === true ? server.value : null;
  }
}
