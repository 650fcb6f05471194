import type { Actor } from "../editor/ports/mod.ts";
import type { Problem } from "../core/problem.ts";
import type { Result } from "../core/result.ts";
import type { Peer } from "../ports/peer.ts";

/** A request that has passed the guard. */
export interface Exchange {
  readonly request: Request;
  /** Values of the path's parameters: `:name`, `:id`. */
  readonly params: Readonly<Record<string, string>>;
  /** Parameters of the query, all accepted by the route. */
  readonly query: Readonly<Record<string, string>>;
  /** Characters of an answer. */
  readonly cap: number;
  /** The caller. */
  readonly caller: Actor;
  /** The client's address; absent if the server does not report it. */
  readonly address?: string | undefined;
  /** Upgrades to a WebSocket; absent if the request does not ask for one. */
  readonly upgrade?: Peer["upgrade"];
}

/** A route. */
export interface Route {
  /** `GET` answers `HEAD` too; `ALL` is for a protocol that has its own rules. */
  readonly method: "GET" | "POST" | "ALL";
  /** `:name` stands for a variable segment. */
  readonly path: string;
  /** Its response, in a few words. */
  readonly doc: string;
  /** Whether it is guarded like a `POST`, even if it is a `GET`. */
  readonly changesState: boolean;
  /**
   * `own`: it checks a key of its own instead of the service's token, or is not secret; `app`: the same,
   * and pages of any origin may request it.
   */
  readonly access?: "own" | "app";
  /** Set if it starts work and answers with its events: a page may request it by EventSource. */
  readonly answersEvents?: true;
  /** Set if it starts work only by `POST`, although it answers other methods. */
  readonly startsByPost?: true;
  /** Set for a document that a link on another site may open. */
  readonly isDocument?: true;
  /** `bytes`: its bodies are not JSON, and it bounds and checks them itself. */
  readonly body?: "bytes";
  /** Accepted query parameters; `null` if the tool of the route checks them. */
  readonly query: readonly string[] | null;
  handle(exchange: Exchange): Promise<Result<Response, Problem>>;
}
