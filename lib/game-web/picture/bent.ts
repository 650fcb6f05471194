import { Bone, type Matrix4, type Mesh, Skeleton } from "three";
import { MAX_MORPHS, numberIn, readGuids, textIn } from "../../game/traits/mod.ts";
import type { TraitFields } from "../../game/types/mod.ts";
import type { LiveEntity, LiveWorld } from "../../game/world/mod.ts";
import { placeInto } from "./places.ts";
import type { DrawnShape } from "./shapes.ts";

/** The skeleton of an entity's mesh: other entities are its joints. */
export class LiveSkin {
  readonly skeleton: Skeleton;
  readonly #joints: readonly LiveEntity[];
  readonly #moves: number[] = [];

  private constructor(joints: readonly LiveEntity[], inverses: readonly Matrix4[]) {
    this.#joints = joints;
    const bones = joints.map(() => {
      const bone = new Bone();
      bone.matrixAutoUpdate = false;
      return bone;
    });
    this.skeleton = new Skeleton(bones, [...inverses]);
  }

  /** @returns `null` without a Skin, or if a joint is missing. */
  static of(world: LiveWorld, { traits }: LiveEntity, { binds }: DrawnShape): LiveSkin | null {
    const fields = traits["Skin"];
    const bind = binds[numberIn(fields, "bind")];
    if (bind === undefined) return null;
    const joints = readGuids(textIn(fields, "joints")).flatMap((guid) => world.byGuid(guid) ?? []);
    return joints.length === bind.length ? new LiveSkin(joints, bind) : null;
  }

  /** Whether its joints are entities of that world. */
  isIn(world: LiveWorld): boolean {
    return this.#joints.every((joint) => world.get(joint.id) === joint);
  }

  /** Follows the joints. */
  update(world: LiveWorld): void {
    for (let index = 0; index < this.#joints.length; index++) {
      const joint = this.#joints[index];
      const bone = this.skeleton.bones[index];
      if (joint === undefined || bone === undefined) continue;
      const moves = world.placeVersion(joint);
      if (this.#moves[index] === moves) continue;
      this.#moves[index] = moves;
      placeInto(bone.matrixWorld, world, joint);
    }
  }

  dispose(): void {
    this.skeleton.dispose();
  }
}

const WEIGHTS: readonly string[] = Array.from({ length: MAX_MORPHS }, (_none, n) => `w${n}`);

/** Applies the weights of the trait to the morph targets of a mesh. */
export function followTargets(mesh: Mesh, fields: TraitFields | undefined): void {
  const influences = mesh.morphTargetInfluences;
  if (influences === undefined || fields === undefined) return;
  const count = Math.min(influences.length, MAX_MORPHS);
  for (let n = 0; n < count; n++) influences[n] = numberIn(fields, WEIGHTS[n] ?? "");
}
