import type { ObjectBody, PutOptions } from "../../lib/ota-publish/store/bucket.ts";
import type { Clock } from "../../lib/ports/clock.ts";

// Shared parts of the tests of every store over HTTP.

/** Creates a clock whose waits take no time, and whose deadlines pass only on demand. */
export function createTestClock(): Clock & {
  /** Ends every running deadline. */
  expire(): void;
  /** Waits between tries, in milliseconds. */
  readonly waits: number[];
  /** Moves the clock on. */
  advance(ms: number): void;
} {
  const deadlines = new Set<() => void>();
  const waits: number[] = [];
  let now = 1_700_000_000_000;
  return {
    waits,
    now: () => now,
    monotonic: () => now,
    advance: (ms) => void (now += ms),
    expire: () => deadlines.forEach((end) => end()),
    sleep(ms, signal) {
      // Waits have no signal in these tests; deadlines are ended by one.
      if (signal === undefined) {
        waits.push(ms);
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const end = () => {
          deadlines.delete(end);
          resolve();
        };
        deadlines.add(end);
        signal.addEventListener("abort", () => {
          deadlines.delete(end);
          reject(signal.reason);
        }, { once: true });
      });
    },
  };
}

/** Bytes as something to write, in pieces of an awkward size. */
export function bodyOf(bytes: Uint8Array<ArrayBuffer>, pieceBytes = 100_003): ObjectBody {
  return {
    size: bytes.length,
    open() {
      let at = 0;
      return Promise.resolve(
        new ReadableStream({
          pull(controller) {
            if (at < bytes.length) controller.enqueue(bytes.subarray(at, at += pieceBytes));
            else controller.close();
          },
        }),
      );
    },
  };
}

/** Creates bytes that do not repeat, so that a piece in the wrong place shows. */
export function patternOf(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

/** Options of a write that must not replace a file. */
export const ABSENT: PutOptions = {
  cacheControl: "public, max-age=31536000, immutable",
  contentType: "application/octet-stream",
  when: { kind: "absent" },
};
