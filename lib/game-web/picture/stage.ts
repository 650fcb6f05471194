import {
  type BufferGeometry,
  Group as Node,
  InstancedMesh,
  type Material,
  type Matrix4,
  Mesh,
  MeshDepthMaterial,
  MeshDistanceMaterial,
  MeshStandardMaterial,
  type Object3D,
  type Raycaster,
  type Scene,
  SkinnedMesh,
} from "three";
import type { Vec3 } from "../../game/types/mod.ts";

/** Equal meshes needed before they are instanced. */
const TOGETHER = 8;

/** A shared look: geometry and material, regardless of the place. */
export interface Drawn {
  readonly geometry: BufferGeometry;
  readonly material: Material;
  readonly castShadow: boolean;
  readonly receiveShadow: boolean;
}

/** The first hit of a ray. */
export interface Picked {
  /** The entity. */
  readonly id: number;
  /** World position of the hit. */
  readonly at: Vec3;
}

/** A placed object. */
export interface PlacedObject {
  /** Puts it somewhere in the world. */
  place(matrix: Matrix4): void;
  remove(): void;
}

/**
 * The meshes of a scene. Many equal ones become instances of one mesh, drawn in one call;
 * transparent ones stay separate, because their drawing order matters.
 */
export class Stage {
  readonly #scene: Scene;
  /**
   * Instances are drawn one after another: their shader programs differ from those of single
   * meshes.
   */
  readonly #instances = new Node();
  readonly #groups = new Map<string, Group>();
  readonly #ofInstances = new WeakMap<Material, InstanceMaterials>();
  /** Drawing order by shader program: objects with the same program are drawn one after another. */
  readonly #orders = new Map<string, number>();
  /** Entity id of each object that is drawn on its own (not instanced). */
  readonly #owners = new WeakMap<Object3D, number>();

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#instances.matrixAutoUpdate = false;
    scene.add(this.#instances);
  }

  /** Adds a mesh at a place. @param owner The id of its entity. */
  add(drawn: Drawn, matrix: Matrix4, owner: number): PlacedObject {
    const { geometry, material, castShadow, receiveShadow } = drawn;
    const isMirrored = matrix.determinant() < 0;
    if (material.transparent || isMirrored) return this.addObject(meshOf(drawn), matrix, owner);
    const key = `${geometry.id} ${material.id} ${castShadow} ${receiveShadow}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = new Group(drawn, {
        scene: this.#scene,
        instances: this.#instances,
        materialsOf: (material) => this.#forInstances(material),
        order: this.#orderOf(material),
        own: (mesh, owner) => this.#owners.set(mesh, owner),
        emptied: () => this.#groups.delete(key),
      });
      this.#groups.set(key, group);
    }
    return group.add(matrix, owner);
  }

  #orderOf(material: Material): number {
    const key = programOf(material);
    const order = this.#orders.get(key) ?? this.#orders.size;
    this.#orders.set(key, order);
    return order;
  }

  /**
   * A material has one shader program at a time: sharing it with single meshes would switch
   * programs in each frame.
   */
  #forInstances(material: Material): InstanceMaterials {
    let own = this.#ofInstances.get(material);
    if (own === undefined) {
      const made = {
        seen: material.clone(),
        depth: new MeshDepthMaterial(),
        distance: new MeshDistanceMaterial(),
      };
      material.addEventListener("dispose", () => {
        for (const one of Object.values(made)) one.dispose();
      });
      this.#ofInstances.set(material, made);
      own = made;
    }
    return own;
  }

  /** Returns the first hit of a ray, or `null`. */
  pick(ray: Raycaster): Picked | null {
    let nearest = Infinity;
    let found: Picked | null = null;
    const look = (object: Object3D, ownerOf: (instance: number) => number | undefined) => {
      for (const { distance, point, instanceId = -1 } of ray.intersectObject(object, false)) {
        const owner = ownerOf(instanceId);
        if (distance >= nearest || owner === undefined) continue;
        nearest = distance;
        found = { id: owner, at: [point.x, point.y, point.z] };
      }
    };
    for (const object of this.#scene.children) {
      const owner = this.#owners.get(object);
      if (owner === undefined) continue;
      if (object instanceof SkinnedMesh) object.computeBoundingSphere(); // it was bent since
      look(object, () => owner);
    }
    for (const group of this.#groups.values()) {
      if (group.instances === null) continue;
      group.instances.boundingSphere = null; // they were moved since
      look(group.instances, (instance) => group.ownerOf(instance));
    }
    return found;
  }

  /** Adds anything else that is drawn. @param owner The id of its entity. */
  addObject(object: Object3D, matrix: Matrix4, owner: number): PlacedObject {
    this.#owners.set(object, owner);
    object.matrixAutoUpdate = false;
    object.matrixWorld.copy(matrix);
    this.#scene.add(object);
    return {
      place: (at) => void object.matrixWorld.copy(at),
      remove: () => void object.removeFromParent(),
    };
  }
}

/** Returns a key of an opaque material's shader program, as far as materials differ here. */
function programOf(material: Material): string {
  const maps = material instanceof MeshStandardMaterial
    ? [
      material.map,
      material.aoMap,
      material.metalnessMap,
      material.normalMap,
      material.emissiveMap,
    ]
    : [];
  const { type, vertexColors, side, alphaTest } = material;
  const flat = material instanceof MeshStandardMaterial && material.flatShading;
  return [type, vertexColors, side, alphaTest > 0, flat, ...maps.map((map) => map !== null)].join();
}

function meshOf({ geometry, material, castShadow, receiveShadow }: Drawn): Mesh {
  const mesh = new Mesh(geometry, material);
  mesh.castShadow = castShadow;
  mesh.receiveShadow = receiveShadow;
  mesh.matrixAutoUpdate = false;
  return mesh;
}

/** A member of a group: a mesh of its own while they are few, otherwise an instance. */
class Member implements PlacedObject {
  readonly owner: number;
  readonly #group: Group;
  mesh: Mesh | null = null;
  index = -1;

  constructor(group: Group, owner: number) {
    this.#group = group;
    this.owner = owner;
  }

  place(matrix: Matrix4): void {
    if (this.mesh === null) this.#group.placeInstance(this.index, matrix);
    else this.mesh.matrixWorld.copy(matrix);
  }

  remove(): void {
    this.#group.remove(this);
  }
}

/** Materials of instances: for the picture, and for the shadows of distant and near lights. */
interface InstanceMaterials {
  readonly seen: Material;
  readonly depth: MeshDepthMaterial;
  readonly distance: MeshDistanceMaterial;
}

/** Callbacks of a group's stage. */
interface GroupStage {
  readonly scene: Scene;
  readonly instances: Node;
  readonly materialsOf: (material: Material) => InstanceMaterials;
  readonly order: number;
  /** Records the owner of a mesh. */
  readonly own: (mesh: Mesh, owner: number) => void;
  /** Called when the last member was removed. */
  readonly emptied: () => void;
}

/** Objects with the same look. */
class Group {
  readonly #drawn: Drawn;
  readonly #stage: GroupStage;
  readonly #members: Member[] = [];
  #instances: InstancedMesh | null = null;

  constructor(drawn: Drawn, stage: GroupStage) {
    this.#drawn = drawn;
    this.#stage = stage;
  }

  /** All of them as instances; `null` while they are few. */
  get instances(): InstancedMesh | null {
    return this.#instances;
  }

  ownerOf(instance: number): number | undefined {
    return this.#members[instance]?.owner;
  }

  add(matrix: Matrix4, owner: number): PlacedObject {
    const member = new Member(this, owner);
    member.index = this.#members.push(member) - 1;
    if (this.#instances === null && this.#members.length < TOGETHER) {
      member.mesh = meshOf(this.#drawn);
      member.mesh.renderOrder = this.#stage.order;
      member.mesh.matrixWorld.copy(matrix);
      this.#stage.own(member.mesh, owner);
      this.#stage.scene.add(member.mesh);
      return member;
    }
    this.#reserve(this.#members.length);
    this.placeInstance(member.index, matrix);
    return member;
  }

  placeInstance(index: number, matrix: Matrix4): void {
    const instances = this.#instances;
    if (instances === null) return;
    matrix.toArray(instances.instanceMatrix.array, index * 16);
    instances.instanceMatrix.needsUpdate = true;
  }

  /** Removes a member; the last one takes its place. */
  remove(member: Member): void {
    member.mesh?.removeFromParent();
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[member.index] = last;
      const instances = this.#instances;
      if (instances !== null) {
        instances.instanceMatrix.array.copyWithin(
          member.index * 16,
          last.index * 16,
          last.index * 16 + 16,
        );
        instances.instanceMatrix.needsUpdate = true;
      }
      last.index = member.index;
    }
    if (this.#instances !== null) this.#instances.count = this.#members.length;
    if (this.#members.length > 0) return;
    this.#drop();
    this.#stage.emptied();
  }

  /** Reserves room for that many instances, doubling each time. */
  #reserve(count: number): void {
    const before = this.#instances;
    if (before !== null && count <= before.instanceMatrix.count) {
      before.count = count;
      return;
    }
    const { geometry, material, castShadow, receiveShadow } = this.#drawn;
    const { seen, depth, distance } = this.#stage.materialsOf(material);
    const made = new InstancedMesh(geometry, seen, Math.max(TOGETHER * 2, count * 2));
    made.renderOrder = this.#stage.order;
    made.customDepthMaterial = depth;
    made.customDistanceMaterial = distance;
    made.castShadow = castShadow;
    made.receiveShadow = receiveShadow;
    made.matrixAutoUpdate = false;
    made.frustumCulled = false; // they are everywhere
    made.count = count;
    if (before !== null) made.instanceMatrix.array.set(before.instanceMatrix.array);
    for (const { mesh, index } of this.#members) {
      mesh?.matrixWorld.toArray(made.instanceMatrix.array, index * 16);
    }
    for (const member of this.#members) {
      member.mesh?.removeFromParent();
      member.mesh = null;
    }
    this.#drop();
    this.#instances = made;
    this.#stage.instances.add(made);
  }

  #drop(): void {
    this.#instances?.removeFromParent();
    this.#instances?.dispose();
    this.#instances = null;
  }
}
