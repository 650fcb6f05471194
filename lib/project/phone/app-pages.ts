import { isLoopback } from "../../core/loopback.ts";
import { Once } from "../../core/once.ts";
import type { Listening } from "../../ports/listen.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { createAppServer, type RunningApp } from "./app-server.ts";

/** Origins of the editor's page that are known. */
const MAX_ORIGINS = 8;

/** Server of the app's page, on an origin of its own; it starts when a page first frames the app. */
export class AppPages {
  readonly #parts: Pick<Runtime, "files" | "listen">;
  readonly #running: () => RunningApp | null;
  readonly #origins: string[] = [];
  readonly #server: Once<Listening | null> = new Once(
    () => this.#serve(),
    (server) => server !== null, // there may be a port the next time
  );

  constructor(parts: Pick<Runtime, "files" | "listen">, running: () => RunningApp | null) {
    this.#parts = parts;
    this.#running = running;
  }

  /**
   * Returns the origin, for a page of another one that frames it; `null` if that may not, or
   * nothing can serve.
   */
  async frameFor(origin: string): Promise<string | null> {
    if (!URL.canParse(origin) || !isLoopback(new URL(origin).hostname)) return null;
    if (!this.#origins.includes(origin)) {
      this.#origins.push(origin);
      if (this.#origins.length > MAX_ORIGINS) this.#origins.shift();
    }
    const server = await this.#server.get();
    return server === null ? null : originBeside(new URL(origin).hostname, server);
  }

  /**
   * Returns the address of the running app's page, for an editor's page that is not at `localhost`;
   * `null` if no app runs, or none has framed it.
   */
  async address(): Promise<string | null> {
    const server = await this.#server.begun;
    const running = this.#running();
    return running === null || server === null
      ? null
      : `${originBeside("", server)}/${running.key}/`;
  }

  async close(): Promise<void> {
    await (await this.#server.begun)?.close();
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

/**
 * The origin under another name of this machine than the editor's: browsers send cookies to all ports of
 * a name, and a game that sets thousands would have the editor's server refuse its own page.
 */
function originBeside(editor: string, { port }: Listening): string {
  return `http://${editor === "localhost" ? "127.0.0.1" : "localhost"}:${port}`;
}
