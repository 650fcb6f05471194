/** Places of contents, as they are uploaded. */
export interface Placed {
  /** Announces where a content can be read; `null` if nowhere. */
  set(hash: string, path: string | null): void;
  /** Waits until the place of a content is announced. */
  find(hash: string): Promise<string | null>;
  /** Ends the announcements: contents without a place are nowhere. */
  end(): void;
}

/** Creates an empty list of places. */
export function createPlaced(): Placed {
  const paths = new Map<string, string | null>();
  const waiting = new Map<string, ((path: string | null) => void)[]>();
  let hasEnded = false;
  return {
    set(hash, path) {
      paths.set(hash, path);
      for (const tell of waiting.get(hash) ?? []) tell(path);
      waiting.delete(hash);
    },
    find(hash) {
      const path = paths.get(hash);
      if (path !== undefined || hasEnded) return Promise.resolve(path ?? null);
      return new Promise((tell) => waiting.set(hash, [...waiting.get(hash) ?? [], tell]));
    },
    end() {
      hasEnded = true;
      for (const tells of waiting.values()) for (const tell of tells) tell(null);
      waiting.clear();
    },
  };
}
