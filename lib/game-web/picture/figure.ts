import {
  type BufferGeometry,
  Line,
  LineLoop,
  LineSegments,
  type Material,
  Matrix4,
  Mesh,
  type Object3D,
  Points,
  SkinnedMesh,
} from "three";
import { isOn, textIn } from "../../game/traits/mod.ts";
import type { LiveEntity, LiveWorld } from "../../game/world/mod.ts";
import { followTargets, LiveSkin } from "./bent.ts";
import { type LookNames, type Looks, namesIn } from "./looks.ts";
import { type Drawing, MaterialSurface } from "./materials.ts";
import { placeInto } from "./places.ts";
import type { ShapePart } from "./shapes.ts";
import type { PlacedObject, Stage } from "./stage.ts";

/** Resources of figures, and the stage on which they are placed. */
export interface Workshop {
  readonly stage: Stage;
  readonly looks: Looks;
}

const UNMOVED = new Matrix4();
const MIRROR = new Matrix4().makeScale(-1, 1, 1);
const inWorld = new Matrix4();

interface Piece {
  readonly placed: PlacedObject;
  /** Within the shape; `null` at its origin. */
  readonly within: Matrix4 | null;
}

/** The drawn object of an entity with a Renderable3D. */
export class Figure {
  readonly #entity: LiveEntity;
  readonly #workshop: Workshop;
  readonly #matrix = new Matrix4();
  #pieces: Piece[] = [];
  #morphed: Mesh[] = [];
  #skin: LiveSkin | null = null;
  #names: LookNames = namesIn(undefined);
  #joints = "";
  #flags = -1;
  #moves = -1;
  #isMirrored = false;

  constructor(entity: LiveEntity, workshop: Workshop) {
    this.#entity = entity;
    this.#workshop = workshop;
  }

  /** Names of its current or future look. */
  get names(): LookNames {
    return this.#names;
  }

  /** Whether the places of other entities bend it. */
  get isBent(): boolean {
    return this.#skin !== null;
  }

  /** Whether it is drawn of that entity, and of joints that the world still has. */
  isOf(entity: LiveEntity, world: LiveWorld): boolean {
    return entity === this.#entity && this.#skin?.isIn(world) !== false;
  }

  /** Draws it as the world has it. @returns Whether all of it is there. */
  update(world: LiveWorld): boolean {
    const { traits } = this.#entity;
    const fields = traits["Renderable3D"];
    const { mesh, model, material } = this.#names;
    const joints = textIn(traits["Skin"], "joints");
    const flags = (isOn(fields, "visible") ? 1 : 0) + (isOn(fields, "castShadow") ? 2 : 0) +
      (isOn(fields, "receiveShadow") ? 4 : 0);
    const moves = world.placeVersion(this.#entity);
    if (moves !== this.#moves) {
      this.#moves = moves;
      placeInto(this.#matrix, world, this.#entity);
      const isMirrored = this.#matrix.determinant() < 0;
      if (isMirrored !== this.#isMirrored) this.#flags = -1; // its triangles turn about
      this.#isMirrored = isMirrored;
      for (const piece of this.#pieces) this.#put(piece);
    }
    const isSame = flags === this.#flags && joints === this.#joints &&
      textIn(fields, "mesh") === mesh && textIn(fields, "model") === model &&
      textIn(fields, "material") === material;
    if (!isSame) {
      this.#names = namesIn(fields);
      this.#joints = joints;
      const isWhole = this.#make(world, flags);
      this.#flags = isWhole ? flags : -1;
      if (!isWhole) return false;
    }
    this.#skin?.update(world);
    for (const one of this.#morphed) followTargets(one, traits["Morph"]);
    return true;
  }

  remove(): void {
    for (const { placed } of this.#pieces) placed.remove();
    this.#pieces = [];
    this.#morphed = [];
    this.#skin?.dispose();
    this.#skin = null;
  }

  /**
   * @returns Whether everything that it needs has loaded; its previous look is shown until then.
   */
  #make(world: LiveWorld, flags: number): boolean {
    const look = this.#workshop.looks.get(this.#names);
    if ((flags & 1) === 0) { // its future look is loaded all the same
      this.remove();
      return true;
    }
    if (look === undefined) return false;
    this.remove();
    if (look === null) return true;
    this.#skin = LiveSkin.of(world, this.#entity, look.shape);
    for (const [index, part] of look.shape.parts.entries()) {
      const surface = look.surfaces[index];
      if (surface !== undefined) this.#add(part, surface, flags);
    }
    return true;
  }

  #add(part: ShapePart, surface: MaterialSurface | Material, flags: number): void {
    const { geometry, mode, place, skeleton, weights } = part;
    const { stage } = this.#workshop;
    const { id } = this.#entity;
    const drawing = drawingOf(mode);
    const material = surface instanceof MaterialSurface ? surface.for(geometry, drawing) : surface;
    const shadows = { castShadow: (flags & 2) !== 0, receiveShadow: (flags & 4) !== 0 };
    const isSkinned = geometry.hasAttribute("skinIndex") && geometry.hasAttribute("skinWeight");
    const bones = isSkinned ? this.#skin?.skeleton ?? skeleton : null;
    const isMorphed = Object.keys(geometry.morphAttributes).length > 0;
    const matrix = this.#matrix.clone();
    if (place !== null) matrix.multiply(place);
    if (drawing === "triangles" && bones === null && !isMorphed) {
      const drawn = { geometry, material, ...shadows };
      this.#pieces.push({ placed: stage.add(drawn, matrix, id), within: place });
      return;
    }
    const object = bones === null
      ? objectOf(geometry, material, mode)
      : new SkinnedMesh(geometry, material);
    Object.assign(object, shadows);
    if (object instanceof Mesh && isMorphed) {
      object.morphTargetInfluences?.forEach((_weight, n, all) => all[n] = weights[n] ?? 0);
      this.#morphed.push(object);
    }
    if (!(object instanceof SkinnedMesh) || bones === null) {
      this.#pieces.push({ placed: stage.addObject(object, matrix, id), within: place });
      return;
    }
    object.normalizeSkinWeights();
    object.skeleton = bones;
    object.frustumCulled = false; // its position is that of its joints
    // Joints have world positions: the entity's own place only matters for its box and for the
    // front side of its triangles.
    const isWorn = bones === this.#skin?.skeleton;
    const own = !isWorn ? place ?? UNMOVED : this.#isMirrored ? MIRROR : UNMOVED;
    object.bindMatrixInverse.copy(own).invert();
    const placed = stage.addObject(object, isWorn ? own : matrix, id);
    const still = { place: () => {}, remove: () => placed.remove() };
    this.#pieces.push({ placed: isWorn ? still : placed, within: place });
  }

  #put({ placed, within }: Piece): void {
    if (within === null) placed.place(this.#matrix);
    else placed.place(inWorld.multiplyMatrices(this.#matrix, within));
  }
}

function drawingOf(mode: number): Drawing {
  return mode === 0 ? "points" : mode < 4 ? "lines" : "triangles";
}

function objectOf(geometry: BufferGeometry, material: Material, mode: number): Object3D {
  switch (mode) {
    case 0:
      return new Points(geometry, material);
    case 1:
      return new LineSegments(geometry, material);
    case 2:
      return new LineLoop(geometry, material);
    case 3:
      return new Line(geometry, material);
    default:
      return new Mesh(geometry, material);
  }
}
