import type { JsonObject, JsonValue } from "../../lib/core/json.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { coded } from "./device-ports.ts";
import type { Disk, FolderNode } from "./power-cut-disk.ts";

/** What a native device is told ahead, which it then reads without asking. */
export interface Foretold {
  /** The disk that its files are over. While an operation runs, nothing but the device changes it. */
  readonly disk: Disk;
}

/** What a folder held when it was last told: the bytes of files, the names of folders. */
type ToldNames = Map<string, Uint8Array | ToldNames>;

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

  /** The member that a message carries: files as base64, folders as `true`, what is gone as `null`. */
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
    if (node.kind === "file") {
      if (before === node.bytes) continue; // a disk never changes bytes, it has others
      told.set(name, node.bytes);
      changes[at] = coded(node.bytes);
      continue;
    }
    const within = before instanceof Map ? before : new Map();
    if (within !== before) {
      told.set(name, within);
      changes[at] = true;
    }
    compare(node, { told: within, path: at, changes });
  }
}
