import type { Work } from "../../core/cooperative.ts";
import type { JsonValue } from "../../core/json.ts";
import type { TraitFields } from "../ports/mod.ts";
import { shortest } from "./animations.ts";
import { each } from "./each.ts";
import type { Numbers } from "./numbers.ts";
import type { GltfOutline } from "./outline-types.ts";

const IDENTITY: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** The skins of a model, and the names of their joints. */
export class Skins {
  readonly #outline: GltfOutline;
  /** A guid for each node that is a joint. */
  readonly #guids: ReadonlyMap<number, string>;
  /** The skins that each mesh is worn with, and the place of each among its `binds`. */
  readonly #ofMesh = new Map<number, Map<number, number>>();
  /** The joints of a skin as a field names them; `null` if one is not in the scene. */
  readonly #named = new Map<number, string | null>();

  /** @param newGuid Asked once for each joint. */
  constructor(outline: GltfOutline, newGuid: () => string) {
    this.#outline = outline;
    const joints = new Set<number>();
    const known = new Set<number>();
    for (const { mesh, skin } of outline.nodes) {
      if (mesh === undefined || skin === undefined) continue;
      const worn = this.#ofMesh.get(mesh) ?? new Map<number, number>();
      this.#ofMesh.set(mesh, worn);
      if (!worn.has(skin)) worn.set(skin, worn.size);
      if (known.has(skin)) continue;
      known.add(skin);
      for (const joint of outline.skins[skin]?.joints ?? []) joints.add(joint);
    }
    this.#guids = new Map([...joints].map((joint) => [joint, newGuid()]));
  }

  /** The guid that a joint's entity has in the prefab; `undefined` for other nodes. */
  guidOf(node: number): string | undefined {
    return this.#guids.get(node);
  }

  /**
   * Inverse bind matrices of each skin of the mesh: 16 numbers per joint, column by column.
   * Identities if the file has none, or has them compressed.
   */
  *bindsOf(mesh: number, numbers: Numbers): Work<readonly JsonValue[]> {
    const binds: JsonValue[] = [];
    for (const index of this.#ofMesh.get(mesh)?.keys() ?? []) {
      const { joints = [], inverseBindMatrices = -1 } = this.#outline.skins[index] ?? {};
      const matrices = numbers.get(inverseBindMatrices);
      const bind = yield* each(
        joints,
        (_joint, place) =>
          matrices === undefined ? IDENTITY : matrices.element(place).map(shortest),
      );
      binds.push(bind);
    }
    return binds;
  }

  /**
   * Returns the skin of a node's mesh.
   *
   * @param isShown Whether a node is in the prefab.
   * @returns `null` if there is no skin, or if a joint is missing.
   */
  fieldsOf(node: number, isShown: (node: number) => boolean): TraitFields | null {
    const { mesh, skin } = this.#outline.nodes[node] ?? {};
    if (mesh === undefined || skin === undefined) return null;
    let joints = this.#named.get(skin);
    if (joints === undefined) {
      joints = this.#namesOf(skin, isShown);
      this.#named.set(skin, joints);
    }
    if (joints === null) return null;
    const bind = this.#ofMesh.get(mesh)?.get(skin) ?? 0;
    return { joints, ...(bind > 0 && { bind }) };
  }

  #namesOf(skin: number, isShown: (node: number) => boolean): string | null {
    const { joints = [] } = this.#outline.skins[skin] ?? {};
    if (!joints.every(isShown)) return null;
    return joints.map((joint) => this.#guids.get(joint) ?? "").join(" ");
  }
}
