// APIs of the oldest mobile web view in use beyond ES2020. The client and its imports are compiled
// against this list alone, so that a newer API cannot slip in. Hand-written; every supported phone
// must have each listed API.

declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: Uint8Array): string;
}

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

interface ReadableStreamDefaultReader<T> {
  read(): Promise<{ done: false; value: T } | { done: true; value?: undefined }>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}

interface ReadableStream<T> {
  getReader(): ReadableStreamDefaultReader<T>;
  cancel(reason?: unknown): Promise<void>;
}

interface Response {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  /** Absent in an engine without streams; its responses must then say their `Content-Length`. */
  readonly body?: ReadableStream<Uint8Array> | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface RequestInit {
  method?: string;
  cache?: "no-store" | "default";
  mode?: "cors" | "no-cors";
  credentials?: "omit";
  signal?: AbortSignal;
}

/** Absent outside secure contexts, and so in an app whose scheme does not count as one. */
declare var crypto:
  | {
    readonly subtle?: {
      digest(name: "SHA-256", bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
    };
  }
  | undefined;

declare function setTimeout(callback: () => void, ms: number): number;
declare function clearTimeout(id: number | undefined): void;
