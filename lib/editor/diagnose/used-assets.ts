import { decodeUtf8 } from "../../core/bytes.ts";
import { oneAtATurn, runCooperatively, turnsBetween, type Work } from "../../core/cooperative.ts";
import { guidsOf } from "../../core/guid.ts";
import { isRecord } from "../../core/json.ts";
import { jsonFileParsing } from "../../core/json-pieces.ts";
import { forEachParallel } from "../../core/parallel.ts";
import { referenceFields, referencesOf } from "../../game/traits/mod.ts";
import { type ScenePicture, scenePictures } from "../assets/scene-pictures.ts";
import { readProjectFile } from "../files/project-files.ts";
import type { Asset, Entity } from "../ports/mod.ts";
import type { EditorCore } from "../session/editor-core.ts";

/** Largest file that is checked, in bytes; this editor writes no larger ones. */
const MAX_BYTES = 16 * 1024 * 1024;
const READS_AT_ONCE = 16;

/** The findings of a file, for as long as its size and time stay the same. */
interface Looked {
  readonly stamp: string;
  /** A sentence about its fault; `null` if there is none. */
  readonly why: string | null;
  /** Guids that it names. */
  readonly names: readonly string[];
}

/** Findings about the assets that the shown scene uses. */
export interface UsedAssetFindings {
  /** A sentence for each asset whose file a game cannot read, by guid. */
  readonly broken: ReadonlyMap<string, string>;
  /** The heaviest first. */
  readonly pictures: readonly ScenePicture[];
}

/** Checks the assets that the shown scene uses, and the assets that these reference. */
export class UsedAssets {
  readonly #core: EditorCore;
  readonly #looked = new Map<string, Looked>();
  readonly #oneAtATurn: ReturnType<typeof oneAtATurn>;

  constructor(core: EditorCore) {
    this.#core = core;
    this.#oneAtATurn = oneAtATurn(() => core.clock.monotonic());
  }

  /** Looks at those that entities use. Files that have not changed are not read again. */
  async find(entities: readonly Entity[]): Promise<UsedAssetFindings> {
    const { traits, scan } = this.#core;
    const assets = new Map(scan.assets.map((asset) => [asset.guid, asset]));
    const used = new Set<string>();
    for (const { guid } of referencesOf(entities, referenceFields(traits.all()))) {
      used.add(guid);
    }
    const broken = new Map<string, string>();
    const names = new Map<string, readonly string[]>();
    let pending = [...used];
    while (pending.length > 0) {
      const found = new Set<string>();
      const files = pending.flatMap((guid) => assets.get(guid) ?? []).filter(isReadHere);
      await forEachParallel(files, READS_AT_ONCE, async (asset) => {
        const looked = await this.#look(asset);
        if (looked.why !== null) broken.set(asset.guid, looked.why);
        names.set(asset.guid, looked.names);
        for (const guid of looked.names) if (assets.has(guid)) found.add(guid);
      });
      pending = [...found].filter((guid) => !names.has(guid));
      for (const guid of pending) if (!names.has(guid)) names.set(guid, []);
    }
    const pictures = scenePictures(used, { assets, namedBy: (guid) => names.get(guid) ?? [] });
    return { broken, pictures };
  }

  async #look({ path }: Asset): Promise<Looked> {
    const { clock, files, root, scan } = this.#core;
    const stamp = scan.found.get(path)?.stamp ?? "";
    const before = this.#looked.get(path);
    if (before?.stamp === stamp && stamp !== "") return before;
    const read = await readProjectFile(files, root, { path, maxBytes: MAX_BYTES });
    const bytes = read.ok ? read.value : null;
    const { why, names } = await this.#oneAtATurn(async () => ({
      why: !read.ok ? read.error.detail : bytes === null
        ? null // removed since it was listed, which is found as missing from then on
        : await runCooperatively(whyBroken(path, bytes), { now: () => clock.monotonic() }),
      names: [
        ...await guidsOf(
          decodeUtf8(bytes ?? new Uint8Array()) ?? "",
          turnsBetween(() => clock.monotonic()),
        ),
      ],
    }));
    const looked = { stamp, why, names };
    if (read.ok) this.#looked.set(path, looked); // a right that was missing may be given
    else this.#looked.delete(path);
    return looked;
  }
}

/** Whether a file may name others; another scene is a place of its own. */
function isReadHere({ path, type }: Asset): boolean {
  return path.endsWith(".json") && type !== "scene";
}

function* whyBroken(path: string, bytes: Uint8Array): Work<string | null> {
  const parsed = yield* jsonFileParsing(path, bytes);
  if (!parsed.ok) return parsed.error.message;
  return isRecord(parsed.value) ? null : `Cannot read "${path}": expected a JSON object`;
}
