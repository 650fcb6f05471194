import type { Actor } from "../editor/ports/mod.ts";
import type { Problem } from "../core/problem.ts";
import type { Result } from "../core/result.ts";
import type { Peer } from "../ports/peer.ts";

/** One request, past the guard. */
export interface Exchange {
  readonly request: Request;
  /** Of the path: `:name`, `:id`. */
  readonly params: Readonly<Record<string, string>>;
  /** Of the query; every name is one that the route takes. */
  readonly query: Readonly<Record<string, string>>;
  /** Characters of an answer. */
  readonly cap: number;
  /** Whose call it is. */
  readonly caller: Actor;
  /** The address that it was asked from; absent where the server does not tell. */
  readonly address?: string | undefined;
  /** Answers it by a WebSocket; absent where none is asked for. */
  readonly upgrade?: Peer["upgrade"];
}

/** One way in. */
export interface Route {
  /** `GET` answers `HEAD` too; `ALL` is for a protocol that has its own rules. */
  readonly method: "GET" | "POST" | "ALL";
  /** With `:name` for a segment that varies. */
  readonly path: string;
  /** Its response, in a few words. */
  readonly doc: string;
  /** Guarded like a `POST`, also where it is a `GET`. */
  readonly changesState: boolean;
  /**
   * `own`: it asks for a key of its own in place of the service's token, or is no secret; `app`: so it
   * is, and pages of any origin come in by it.
   */
  readonly access?: "own" | "app";
  /** It starts work and answers with its events: a page may ask by EventSource. */
  readonly answersEvents?: true;
  /** A document that a browser may be led to by a link of another site. */
  readonly isDocument?: true;
  /** `bytes`: its bodies are no JSON, and it bounds and checks them itself. */
  readonly body?: "bytes";
  /** Names that the query may have; `null` when the tool behind it says so itself. */
  readonly query: readonly string[] | null;
  handle(exchange: Exchange): Promise<Result<Response, Problem>>;
}
