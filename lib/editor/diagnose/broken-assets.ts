import { isRecord } from "../../core/json.ts";
import { forEachParallel } from "../../core/parallel.ts";
import type { EditorCore } from "../session/editor-core.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import type { Asset } from "../ports/mod.ts";
import { readProjectFile } from "../files/project-files.ts";
import { referenceFields, referencesOf } from "../../game/traits/mod.ts";

/** The largest file that is looked at, in bytes; larger ones are not what this editor writes. */
const MAX_BYTES = 16 * 1024 * 1024;
const READS_AT_ONCE = 16;

/** The findings of a file, for as long as its size and time stay the same. */
interface Looked {
  readonly stamp: string;
  /** A sentence of what is wrong with it; `null` when nothing is. */
  readonly why: string | null;
}

/** Finds assets whose files no game can read, of those that the shown scene uses. */
export class BrokenAssets {
  readonly #core: EditorCore;
  readonly #looked = new Map<string, Looked>();

  constructor(core: EditorCore) {
    this.#core = core;
  }

  /** @returns One sentence about each of them, by guid. Files that have not changed are not read again. */
  async find(): Promise<ReadonlyMap<string, string>> {
    const { world, traits, scan } = this.#core;
    const used = new Set<string>();
    for (const { guid } of referencesOf(world.entities(), referenceFields(traits.all()))) {
      used.add(guid);
    }
    const broken = new Map<string, string>();
    const wanted = scan.assets.filter(({ guid, path }) => used.has(guid) && path.endsWith(".json"));
    await forEachParallel(wanted, READS_AT_ONCE, async (asset) => {
      const why = await this.#look(asset);
      if (why !== null) broken.set(asset.guid, why);
    });
    return broken;
  }

  async #look({ path }: Asset): Promise<string | null> {
    const { files, root, scan } = this.#core;
    const stamp = scan.found.get(path)?.stamp ?? "";
    const before = this.#looked.get(path);
    if (before?.stamp === stamp && stamp !== "") return before.why;
    const bytes = await readProjectFile(files, root, { path, maxBytes: MAX_BYTES });
    const why = !bytes.ok ? bytes.error.detail : bytes.value === null
      ? null // gone since it was listed, which is told as missing from then on
      : whyBroken(path, bytes.value);
    this.#looked.set(path, { stamp, why });
    return why;
  }
}

function whyBroken(path: string, bytes: Uint8Array): string | null {
  const parsed = parseJsonFile(path, bytes);
  if (!parsed.ok) return parsed.error.message;
  return isRecord(parsed.value) ? null : `Cannot read "${path}": expected a JSON object`;
}
