import type { JsonValue } from "../../core/json.ts";
import type { TraitFields } from "../ports.ts";
import { shortest } from "./animations.ts";
import type { Numbers } from "./numbers.ts";
import type { GltfOutline } from "./outline-types.ts";

const IDENTITY: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** The joints of a model: what bends its meshes, and how each is named. */
export class Skins {
  readonly #outline: GltfOutline;
  /** A guid for each node that is a joint. */
  readonly #guids: ReadonlyMap<number, string>;
  /** The skins that each mesh is worn with, in the order of its `binds`. */
  readonly #ofMesh = new Map<number, number[]>();

  /** @param newGuid Asked once for each joint. */
  constructor(outline: GltfOutline, newGuid: () => string) {
    this.#outline = outline;
    const joints = new Set<number>();
    for (const { mesh, skin } of outline.nodes) {
      if (mesh === undefined || skin === undefined) continue;
      const worn = this.#ofMesh.get(mesh) ?? [];
      if (!worn.includes(skin)) this.#ofMesh.set(mesh, [...worn, skin]);
      for (const joint of outline.skins[skin]?.joints ?? []) joints.add(joint);
    }
    this.#guids = new Map([...joints].map((joint) => [joint, newGuid()]));
  }

  /** The guid that a joint's entity has in the prefab; `undefined` for other nodes. */
  guidOf(node: number): string | undefined {
    return this.#guids.get(node);
  }

  /**
   * The inverse bind matrices of each skin that a mesh is worn with: 16 numbers a joint, column by
   * column. Identities where the file has none, or has them compressed.
   */
  bindsOf(mesh: number, numbers: Numbers): readonly JsonValue[] {
    return (this.#ofMesh.get(mesh) ?? []).map((index) => {
      const { joints = [], inverseBindMatrices = -1 } = this.#outline.skins[index] ?? {};
      const matrices = numbers.get(inverseBindMatrices);
      return joints.map((_joint, place) =>
        matrices === undefined ? IDENTITY : matrices.getElement(place, []).map(shortest)
      );
    });
  }

  /**
   * What bends the mesh of a node.
   *
   * @param isShown Whether a node is in the prefab.
   * @returns `null` where nothing does, or where a joint is missing.
   */
  fieldsOf(node: number, isShown: (node: number) => boolean): TraitFields | null {
    const { mesh, skin } = this.#outline.nodes[node] ?? {};
    if (mesh === undefined || skin === undefined) return null;
    const { joints = [] } = this.#outline.skins[skin] ?? {};
    if (!joints.every(isShown)) return null;
    const bind = this.#ofMesh.get(mesh)?.indexOf(skin) ?? 0;
    const guids = joints.map((joint) => this.#guids.get(joint) ?? "");
    return { joints: guids.join(" "), ...(bind > 0 && { bind }) };
  }
}
