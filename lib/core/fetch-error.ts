/** Facts about a failed request that the platform's own error does not have. */
export interface FetchRoute {
  /** The proxy of the request, without its password; `null` for none. */
  readonly proxy: string | null;
  /** Why certificates that the environment names could not be used. */
  readonly certificateProblems: readonly string[];
}

/**
 * A request without an answer, with its route. It has the message and the `cause` of the platform's
 * error.
 */
export class FetchError extends TypeError {
  /**
   * Recognises errors of another copy of this module: a bundled program has one, the adapter beside
   * it another.
   */
  static override [Symbol.hasInstance](thrown: unknown): thrown is FetchError {
    return thrown instanceof Error && thrown.name === "FetchError" && "route" in thrown;
  }

  /** `FetchError`. */
  override readonly name: string = "FetchError";
  /** The way that the request took. */
  readonly route: FetchRoute;

  /** Wraps an error of the platform's `fetch`. */
  constructor(thrown: unknown, route: FetchRoute) {
    const error = thrown instanceof Error ? thrown : new TypeError(String(thrown));
    super(error.message, { cause: error.cause ?? error });
    this.route = route;
  }
}
