/** Facts about a failed request that the platform's own error lacks. */
export interface FetchRoute {
  /** The proxy that the request went to, without its password; `null` for none. */
  readonly proxy: string | null;
  /** Why certificates that the environment names could not be used. */
  readonly certificateProblems: readonly string[];
}

/**
 * A request that got no answer, with the way it took. It reads as what the platform threw: the same
 * message, the same `cause`.
 */
export class FetchError extends TypeError {
  /** Knows those of another copy, too: a bundled program has one, the adapter beside it another. */
  static override [Symbol.hasInstance](thrown: unknown): thrown is FetchError {
    return thrown instanceof Error && thrown.name === "FetchError" && "route" in thrown;
  }

  /** `FetchError`. */
  override readonly name: string = "FetchError";
  /** The way that the request took. */
  readonly route: FetchRoute;

  /** Wraps what the platform's `fetch` threw. */
  constructor(thrown: unknown, route: FetchRoute) {
    const error = thrown instanceof Error ? thrown : new TypeError(String(thrown));
    super(error.message, { cause: error.cause ?? error });
    this.route = route;
  }
}
