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

/** So many equal ones are drawn in one call. */
const TOGETHER = 8;

/** What is drawn alike, wherever it is. */
export interface Drawn {
  readonly geometry: BufferGeometry;
  readonly material: Material;
  readonly castShadow: boolean;
  readonly receiveShadow: boolean;
}

/** What a ray meets first. */
export interface Picked {
  /** The entity. */
  readonly id: number;
  /** Where, in the world. */
  readonly at: Vec3;
}

/** One of what is drawn. */
export interface Placed {
  /** Puts it somewhere in the world. */
  place(matrix: Matrix4): void;
  remove(): void;
}

/**
 * The meshes of a scene. Many equal ones become instances of one, which is drawn in one call; what
 * shows others through itself stays alone, because it is drawn in its order.
 */
export class Stage {
  readonly #scene: Scene;
  /** Instances are drawn one after the other: their programs are not those of single meshes. */
  readonly #instances = new Node();
  readonly #groups = new Map<string, Group>();
  readonly #ofInstances = new WeakMap<Material, InstanceMaterials>();
  /** By what a program follows from: what has the same one is drawn one after the other. */
  readonly #orders = new Map<string, number>();
  /** Whose what is drawn alone is. */
  readonly #owners = new WeakMap<Object3D, number>();

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#instances.matrixAutoUpdate = false;
    scene.add(this.#instances);
  }

  /** Adds a mesh at a place. @param owner The id of its entity. */
  add(drawn: Drawn, matrix: Matrix4, owner: number): Placed {
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

  /** A material has one program at a time: one that also draws single meshes would change it in each frame. */
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

  /** What a ray meets first; `null` for nothing. */
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
  addObject(object: Object3D, matrix: Matrix4, owner: number): Placed {
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

/** What the program of an opaque material follows from, as far as materials differ here. */
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

/** One of a group: a mesh of its own while they are few, else a place among the instances. */
class Member implements Placed {
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

/** What instances are drawn with: as they are seen, and into the shadows of lights from afar and from near. */
interface InstanceMaterials {
  readonly seen: Material;
  readonly depth: MeshDepthMaterial;
  readonly distance: MeshDistanceMaterial;
}

/** What a group needs of its stage. */
interface GroupStage {
  readonly scene: Scene;
  readonly instances: Node;
  readonly materialsOf: (material: Material) => InstanceMaterials;
  readonly order: number;
  /** Notes whose a mesh is. */
  readonly own: (mesh: Mesh, owner: number) => void;
  /** Called when the last one has gone. */
  readonly emptied: () => void;
}

/** All that is drawn alike. */
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

  add(matrix: Matrix4, owner: number): Placed {
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

  /** The last one takes the place of the one that goes. */
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

  /** Makes room for so many instances, twice as many each time. */
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
