import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Drawer, QueuedTask, RenderQueue } from "./queue.ts";

/** Windows that draw in parallel; one more replaces a closed one, otherwise the first. */
const MAX_WINDOWS = 8;
/** Waiting requests for a task: a page has one, and two windows of one browser may share a key. */
const MAX_ASKING = 4;
/** Connections by which one page reports that it is open: more than one while it reloads. */
const MAX_CONNECTIONS = 4;

interface DrawingPage {
  readonly key: string;
  readonly drawer: Drawer;
  /** Connections by which it reports that it is open. */
  connections: number;
  /** Aborted when it stops drawing. */
  readonly gone: AbortController;
  /** Its requests for a task that wait for one, the oldest first. */
  readonly asking: Set<AbortController>;
  /**
   * It did not draw its task, such as a phone in a pocket. It gets no more tasks until it asks for
   * one.
   */
  isAsleep: boolean;
}

/**
 * The pages that draw: each is admitted by a ticket that is valid once, and identified by a key
 * afterwards (CAP-1).
 */
export class DrawingPages {
  readonly #queue: RenderQueue;
  /** At most one unused ticket for each drawer. */
  readonly #tickets = new Map<Drawer, string>();
  /** By their keys. */
  readonly #pages = new Map<string, DrawingPage>();

  constructor(queue: RenderQueue) {
    this.#queue = queue;
  }

  /** A ticket for a window; the same one until it is used. */
  admitWindow(): string {
    return this.#tickets.get("window") ?? this.#newTicket("window");
  }

  /** A new ticket for the service's own browser; the page that had one before draws no more. */
  admitBrowser(): string {
    this.dismissBrowser();
    return this.#newTicket("browser");
  }

  /** The service's own browser draws no more. */
  dismissBrowser(): void {
    this.#tickets.delete("browser");
    for (const { key, drawer } of this.#pages.values()) {
      if (drawer === "browser") this.#forget(key);
    }
  }

  /** Lets a page draw. @returns The key of its requests, or 403 `wrong-ticket`. */
  join(ticket: string): Result<string, Problem> {
    const [drawer] = [...this.#tickets].find(([, one]) => one === ticket) ?? [];
    if (drawer === undefined) {
      const detail = "This address was not made to draw captures, or has been opened before";
      return refuse(403, "wrong-ticket", detail, "Ask for another: POST /api/captures/window");
    }
    this.#tickets.delete(drawer);
    const key = crypto.randomUUID();
    const windows = [...this.#pages.values()].filter((page) => page.drawer === "window");
    const [first] = windows;
    if (drawer === "window" && first !== undefined && windows.length >= MAX_WINDOWS) {
      this.#remove(windows.find(({ connections }) => connections === 0) ?? first);
    }
    this.#pages.set(key, {
      key,
      drawer,
      connections: 0,
      gone: new AbortController(),
      asking: new Set(),
      isAsleep: false,
    });
    return ok(key);
  }

  isKey(key: string): boolean {
    return this.#pages.has(key);
  }

  /** Returns whether a drawing window is open, apart from the given ones. */
  hasWindow(without: ReadonlySet<string> = new Set()): boolean {
    return [...this.#pages.values()].some((page) =>
      isDrawingWindow(page) && !without.has(page.key)
    );
  }

  /**
   * Registers a page until the signal.
   *
   * @returns A signal that it stops drawing; `null` for a page with too many connections.
   */
  attend(key: string, signal: AbortSignal): AbortSignal | null {
    const page = this.#pages.get(key);
    if (page === undefined || signal.aborted) return AbortSignal.abort();
    if (page.connections >= MAX_CONNECTIONS) return null;
    page.connections++;
    signal.addEventListener("abort", () => {
      page.connections--;
      if (page.connections === 0) this.#queue.leave(key, { isLast: !this.hasWindow() });
    }, { once: true });
    return page.gone.signal;
  }

  /** Returns the next task of a page; `null` without one until the signal. */
  async next(key: string, signal: AbortSignal): Promise<QueuedTask | null> {
    const page = this.#pages.get(key);
    if (page === undefined) return null;
    page.isAsleep = false;
    const { asking } = page;
    const [oldest] = asking;
    if (asking.size >= MAX_ASKING) oldest?.abort();
    const own = new AbortController();
    asking.add(own);
    own.signal.addEventListener("abort", () => asking.delete(own), { once: true });
    try {
      return await this.#queue.next(page, AbortSignal.any([signal, own.signal]));
    } finally {
      own.abort();
    }
  }

  /**
   * Reports that a task was not drawn in time. @param key Of the page that took it; `null` if none
   * did.
   */
  late(key: string | null): void {
    for (const page of this.#pages.values()) {
      const isLate = key === null ? !this.#queue.isDrawing(page.key) : page.key === key;
      if (isLate && page.drawer === "window") page.isAsleep = true;
    }
  }

  #newTicket(drawer: Drawer): string {
    const ticket = crypto.randomUUID();
    this.#tickets.set(drawer, ticket);
    return ticket;
  }

  #forget(key: string): void {
    const page = this.#pages.get(key);
    this.#pages.delete(key);
    for (const asking of page?.asking ?? []) asking.abort();
    page?.gone.abort();
  }

  #remove({ key }: DrawingPage): void {
    this.#forget(key);
    this.#queue.leave(key, { isLast: !this.hasWindow() });
  }
}

function isDrawingWindow({ drawer, connections, isAsleep }: DrawingPage): boolean {
  return drawer === "window" && connections > 0 && !isAsleep;
}
