import type { JsonObject, JsonValue } from "../../lib/core/json.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { coded } from "./device-ports.ts";
import { changedAt, type Disk, type FolderNode } from "./power-cut-disk.ts";

/** What a native device is told ahead, which it then reads without asking. */
export interface Foretold {
  /** The disk that its files are over. While an operation runs, nothing but the device changes it. */
  readonly disk: Disk;
}

/** What a name led to when it was last told: the bytes of a file or the names of a folder, and its time. */
interface ToldNode {
  readonly holds: Uint8Array | ToldNames;
  readonly time: number;
}

type ToldNames = Map<string, ToldNode>;

/**
 * Tells a process what a simulated disk holds and what its clock shows: all of it, then what is another
 * by now. Of what it asked over the line, most was read again and again.
 */
export class Teller {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #names: ToldNames = new Map();
  #monotonic = Number.NaN;

  constructor({ disk }: Foretold, clock: Clock) {
    this.#disk = disk;
    this.#clock = clock;
  }

  /**
   * The member that a message carries. By path: files as base64 and folders as `true`, each with its time
   * in milliseconds; what is gone as `null`.
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

/** Notes what a folder holds otherwise than it was told, a folder before what is in it. */
function compare(
  { names }: FolderNode,
  { told, path, changes }: {
    readonly told: ToldNames;
    readonly path: string;
    readonly changes: Record<string, JsonValue>;
  },
): void {
  for (const name of told.keys()) {
    if (names.has(name)) continue;
    told.delete(name);
    changes[`${path}/${name}`] = null;
  }
  for (const [name, node] of names) {
    const at = `${path}/${name}`;
    const before = told.get(name);
    const time = changedAt(node);
    if (node.kind === "file") {
      // A disk never changes bytes, it has others.
      if (before?.holds === node.bytes && before.time === time) continue;
      told.set(name, { holds: node.bytes, time });
      changes[at] = [coded(node.bytes), time];
      continue;
    }
    const within = before?.holds instanceof Map ? before.holds : new Map();
    if (before?.holds !== within || before.time !== time) {
      told.set(name, { holds: within, time });
      changes[at] = [true, time];
    }
    compare(node, { told: within, path: at, changes });
  }
}
