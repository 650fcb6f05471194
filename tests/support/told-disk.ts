import type { JsonObject, JsonValue } from "../../lib/core/json.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { coded } from "./device-ports.ts";
import { changedAt, type Disk, type FolderNode } from "./power-cut-disk.ts";

/** The disk and the clock that a native device learns ahead and then reads without asking. */
export interface Foretold {
  /** The disk under the device's files. While an operation runs, only the device changes it. */
  readonly disk: Disk;
}

/**
 * A name's node as of the last message: the bytes of a file or the names of a folder, and its time.
 */
interface ToldNode {
  readonly holds: Uint8Array | ToldNames;
  readonly time: number;
}

type ToldNames = Map<string, ToldNode>;

/**
 * Sends a process the contents of a simulated disk and the time of its clock: whatever differs from
 * what it was last sent, by this teller or by that of the previous device. Most of what processes
 * asked for over the line, they read again and again, and the disks of a test share most contents.
 */
export class Teller {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #names: ToldNames;
  #monotonic = Number.NaN;

  constructor({ disk }: Foretold, clock: Clock, before: Teller | null = null) {
    this.#disk = disk;
    this.#clock = clock;
    this.#names = before === null ? new Map() : before.#names;
  }

  /**
   * Creates the member that a message carries. By path: files as base64 and folders as `true`, each
   * with its time in milliseconds; removed ones as `null`.
   */
  tell(): { readonly told?: JsonObject } {
    const files: Record<string, JsonValue> = {};
    compare(this.#disk.root, { told: this.#names, path: "", changes: files });
    const monotonic = this.#clock.monotonic();
    const isLater = monotonic !== this.#monotonic;
    this.#monotonic = monotonic;
    const hasChanged = Object.keys(files).length > 0;
    if (!isLater && !hasChanged) return {};
    return {
      told: {
        ...(hasChanged && { files }),
        ...(isLater && { now: this.#clock.now(), monotonic }),
      },
    };
  }
}

/** Collects the changes of a folder since the last message, a folder before its contents. */
function compare(
  { names }: FolderNode,
  { told: known, path, changes }: {
    readonly told: ToldNames;
    readonly path: string;
    readonly changes: Record<string, JsonValue>;
  },
): void {
  for (const name of known.keys()) {
    if (names.has(name)) continue;
    known.delete(name);
    changes[`${path}/${name}`] = null;
  }
  for (const [name, node] of names) {
    const at = `${path}/${name}`;
    const before = known.get(name);
    const time = changedAt(node);
    if (node.kind === "file") {
      // A disk never changes bytes, it has others.
      if (before?.holds === node.bytes && before.time === time) continue;
      known.set(name, { holds: node.bytes, time });
      changes[at] = [coded(node.bytes), time];
      continue;
    }
    const within = before?.holds instanceof Map ? before.holds : new Map();
    if (before?.holds !== within || before.time !== time) {
      known.set(name, { holds: within, time });
      changes[at] = [true, time];
    }
    compare(node, { told: within, path: at, changes });
  }
}
