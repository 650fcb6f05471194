import type {
  Collider,
  EventQueue,
  RigidBody,
  World as RapierWorld,
} from "@dimforge/rapier3d-compat";
import type { AssetDetails } from "../asset-details.ts";
import { meshBounds } from "../layout/layout.ts";
import type { Bounds } from "../layout/project3d.ts";
import {
  eulerOf,
  invert,
  type Mat3,
  matrixOf,
  multiply,
  type Quaternion,
  rotate,
  subtract,
  transpose,
} from "../math.ts";
import type { TraitFields, Vec3 } from "../ports.ts";
import { numberIn, textIn } from "../traits/value.ts";
import { quaternionOf } from "./quaternion.ts";
import type { LiveEntity, LiveWorld } from "./live-world.ts";

/** The physics engine; loaded once, when a game first starts. */
export type Rapier = typeof import("@dimforge/rapier3d-compat");

/** Loads the physics engine. */
export async function loadRapier(): Promise<Rapier> {
  const rapier = await import("@dimforge/rapier3d-compat");
  await rapier.init();
  return rapier;
}

/** Two bodies that began or ceased to touch. */
export interface Touch {
  readonly a: LiveEntity;
  readonly b: LiveEntity;
  readonly began: boolean;
  /** Whether one of them is only a sensor. */
  readonly sensor: boolean;
}

interface Physical {
  /** Grows from body to body. */
  readonly order: number;
  readonly entity: LiveEntity;
  readonly body: RigidBody;
  readonly collider: Collider;
  /** Whether forces move it, which never changes. */
  readonly isDynamic: boolean;
  /** The ids of its entity and of those that carry it, the nearest first. */
  readonly line: readonly number[];
  /** The bodies that its entity takes along, itself among them. */
  readonly below: Set<Physical>;
  /** Moves of the entity that the engine knows of. */
  moves: number;
  /** The rotation that its Transform was last given by the engine; NaN once others have moved it. */
  readonly turned: MutableQuaternion;
}

type MutableQuaternion = { -readonly [Axis in keyof Quaternion]: number };

/** The engine refuses sizes of 0, and loses its precision far away. */
const [SMALLEST, LARGEST] = [1e-3, 1e6];

/**
 * The bodies of the 3D layer: every entity with a Collider; without a RigidBody it stands still, or
 * follows what moves it. Bodies are made in document order, so that equal worlds go equal ways.
 */
export class Physics {
  readonly #rapier: Rapier;
  readonly #live: LiveWorld;
  readonly #details: AssetDetails;
  readonly #world: RapierWorld;
  readonly #events: EventQueue;
  readonly #bodies = new Map<number, Physical>();
  readonly #byCollider = new Map<number, Physical>();
  /** Those that forces move, in the order in which they were made. */
  readonly #dynamic = new Set<Physical>();
  /** The bodies that an entity takes along: its own, and those of all that it carries. */
  readonly #below = new Map<number, Set<Physical>>();
  #made = 0;
  /** What the engine writes into: two new objects for every body and step would be many. */
  readonly #at = { x: 0, y: 0, z: 0 };
  readonly #turned = { x: 0, y: 0, z: 0, w: 1 };
  /** What moves with a body that the last step has moved. */
  readonly #pulled = new Set<Physical>();

  constructor(
    rapier: Rapier,
    live: LiveWorld,
    { details, gravity, timestep }: {
      readonly details: AssetDetails;
      readonly gravity: number;
      readonly timestep: number;
    },
  ) {
    this.#rapier = rapier;
    this.#live = live;
    this.#details = details;
    this.#world = new rapier.World({ x: 0, y: -gravity, z: 0 });
    this.#world.timestep = timestep;
    this.#events = new rapier.EventQueue(true);
    for (const entity of live.having("Collider")) this.add(entity);
  }

  /** Gives an entity with a Collider a body. */
  add(entity: LiveEntity): void {
    const collider = entity.traits["Collider"];
    if (collider === undefined || entity.layer !== "3d" || this.#bodies.has(entity.id)) return;
    const rapier = this.#rapier;
    const rigid = entity.traits["RigidBody"];
    const kind = rigid === undefined ? "fixed" : textIn(rigid, "kind");
    const desc = kind === "fixed"
      ? rapier.RigidBodyDesc.fixed()
      : kind === "kinematic"
      ? rapier.RigidBodyDesc.kinematicPositionBased()
      : rapier.RigidBodyDesc.dynamic();
    const { affine, rotation } = this.#live.placeOf(entity);
    const [x, y, z] = bounded(affine.offset);
    desc.setTranslation(x, y, z).setRotation(quaternionOf(rotation))
      .setGravityScale(numberIn(rigid, "gravityScale", 1))
      .setLinearDamping(numberIn(rigid, "linearDamping"))
      .setAngularDamping(numberIn(rigid, "angularDamping"));
    if (rigid?.["lockRotation"] === true) desc.lockRotations();
    const body = this.#world.createRigidBody(desc);
    const scale = scaleOf(affine.linear, rotation);
    const shape = this.#shape(entity, collider, scale)
      .setFriction(numberIn(collider, "friction", 0.5))
      .setRestitution(numberIn(collider, "restitution"))
      .setSensor(collider["sensor"] === true)
      .setActiveEvents(rapier.ActiveEvents.COLLISION_EVENTS)
      .setActiveCollisionTypes(
        rapier.ActiveCollisionTypes.DEFAULT | rapier.ActiveCollisionTypes.KINEMATIC_FIXED |
          rapier.ActiveCollisionTypes.KINEMATIC_KINEMATIC,
      )
      .setMass(Math.max(SMALLEST, numberIn(rigid, "mass", 1)));
    const made = this.#world.createCollider(shape, body);
    const line = this.#lineOf(entity);
    const physical: Physical = {
      order: this.#made++,
      entity,
      body,
      collider: made,
      isDynamic: kind !== "fixed" && kind !== "kinematic",
      line,
      below: this.#belowOf(entity.id),
      moves: this.#live.movesOf(entity),
      turned: { x: NaN, y: NaN, z: NaN, w: NaN },
    };
    this.#bodies.set(entity.id, physical);
    this.#byCollider.set(made.handle, physical);
    if (physical.isDynamic) this.#dynamic.add(physical);
    for (const id of line) this.#belowOf(id).add(physical);
  }

  /** Takes an entity's body away. */
  remove(id: number): void {
    const physical = this.#bodies.get(id);
    if (physical === undefined) return;
    this.#bodies.delete(id);
    this.#byCollider.delete(physical.collider.handle);
    this.#dynamic.delete(physical);
    for (const id of physical.line) this.#below.get(id)?.delete(physical);
    this.#pulled.delete(physical);
    this.#world.removeRigidBody(physical.body);
  }

  /** Whether forces move the entity. */
  isDynamic(id: number): boolean {
    return this.#bodies.get(id)?.isDynamic ?? false;
  }

  /** Its velocity in metres a second; `null` for what no forces move. */
  velocityOf(id: number): Vec3 | null {
    const physical = this.#bodies.get(id);
    if (physical === undefined || !physical.isDynamic) return null;
    const { x, y, z } = physical.body.linvel();
    return [x, y, z];
  }

  /** Pushes a body. @returns Whether forces move it. */
  push(id: number, [x, y, z]: Vec3): boolean {
    if (!this.isDynamic(id)) return false;
    this.#bodies.get(id)?.body.applyImpulse({ x, y, z }, true);
    return true;
  }

  /** Gives a body a velocity. @returns Whether forces move it. */
  setVelocity(id: number, [x, y, z]: Vec3): boolean {
    if (!this.isDynamic(id)) return false;
    this.#bodies.get(id)?.body.setLinvel({ x, y, z }, true);
    return true;
  }

  /** Runs one step: takes over what others have moved, and moves what the forces move. */
  step(): readonly Touch[] {
    this.#followAll();
    this.#world.step(this.#events);
    for (const physical of this.#dynamic) this.#writeBack(physical);
    const touches: Touch[] = [];
    this.#events.drainCollisionEvents((first, second, began) => {
      const [one, other] = [this.#byCollider.get(first), this.#byCollider.get(second)];
      if (one === undefined || other === undefined) return;
      const [a, b] = one.entity.id < other.entity.id ? [one, other] : [other, one];
      const sensor = a.collider.isSensor() || b.collider.isSensor();
      touches.push({ a: a.entity, b: b.entity, began, sensor });
    });
    return touches;
  }

  /** Gives the engine's memory back; nothing may be called afterwards. */
  free(): void {
    this.#events.free();
    this.#world.free();
    this.#bodies.clear();
    this.#byCollider.clear();
    this.#dynamic.clear();
    this.#below.clear();
  }

  #belowOf(id: number): Set<Physical> {
    const known = this.#below.get(id);
    if (known !== undefined) return known;
    const below = new Set<Physical>();
    this.#below.set(id, below);
    return below;
  }

  #lineOf(entity: LiveEntity): readonly number[] {
    const line: number[] = [];
    for (let at: LiveEntity | undefined = entity; at !== undefined; at = this.#live.carrierOf(at)) {
      line.push(at.id);
    }
    return line;
  }

  #followAll(): void {
    const pulled = new Set(this.#pulled);
    this.#pulled.clear();
    for (const id of this.#live.takeMoved()) {
      for (const physical of this.#below.get(id) ?? []) pulled.add(physical);
    }
    for (const physical of inOrder(pulled)) this.#follow(physical);
  }

  #follow(physical: Physical): void {
    const { entity, body } = physical;
    const moves = this.#live.movesOf(entity);
    if (moves === physical.moves) return;
    physical.moves = moves;
    physical.turned.x = NaN;
    const { affine, rotation } = this.#live.placeOf(entity);
    const [x, y, z] = bounded(affine.offset);
    if (physical.isDynamic) {
      body.setTranslation({ x, y, z }, true);
      body.setRotation(quaternionOf(rotation), true);
      return;
    }
    // What is moved after all pushes others away, which a fixed body does not.
    if (body.isFixed()) body.setBodyType(this.#rapier.RigidBodyType.KinematicPositionBased, true);
    body.setNextKinematicTranslation({ x, y, z });
    body.setNextKinematicRotation(quaternionOf(rotation));
  }

  /** What happens to every body that is awake in every step: nothing is allocated that need not be. */
  #writeBack(physical: Physical): void {
    const { entity, body, turned, line, below } = physical;
    if (body.isSleeping()) return;
    const { x, y, z } = body.translation(this.#at);
    const now = body.rotation(this.#turned);
    const carrier = line.length === 1 ? undefined : this.#live.carrierOf(entity);
    if (carrier === undefined) {
      const isTurned = now.x !== turned.x || now.y !== turned.y || now.z !== turned.z ||
        now.w !== turned.w;
      const euler = isTurned ? eulerOf(matrixOf(now)) : null;
      physical.moves = this.#live.settle(entity, [x, y, z], euler);
      turned.x = now.x;
      turned.y = now.y;
      turned.z = now.z;
      turned.w = now.w;
    } else {
      const { position, euler } = this.#inside(carrier, [x, y, z], matrixOf(now));
      this.#live.settle(entity, position, euler);
      physical.moves = this.#live.movesOf(entity);
    }
    if (below.size === 1) return;
    for (const other of below) if (other !== physical) this.#pulled.add(other);
  }

  #inside(carrier: LiveEntity, offset: Vec3, rotation: Mat3) {
    const parent = this.#live.placeOf(carrier);
    const inverse = invert(parent.affine.linear);
    const position = inverse === null
      ? offset
      : rotate(inverse, subtract(offset, parent.affine.offset));
    return { position, euler: eulerOf(multiply(transpose(parent.rotation), rotation)) };
  }

  #shape(entity: LiveEntity, fields: TraitFields, scale: Vec3) {
    const { ColliderDesc } = this.#rapier;
    const [x, y, z] = [
      half(numberIn(fields, "width", 1) * scale[0]),
      half(numberIn(fields, "height", 1) * scale[1]),
      half(numberIn(fields, "depth", 1) * scale[2]),
    ];
    switch (textIn(fields, "shape")) {
      case "sphere":
        return ColliderDesc.ball(x);
      case "capsule":
        return ColliderDesc.capsule(Math.max(SMALLEST, y - x), x);
      case "cylinder":
        return ColliderDesc.cylinder(y, x);
      case "mesh": {
        const bounds = meshBounds(entity.traits["Renderable3D"] ?? {}, this.#details);
        return bounds === undefined ? ColliderDesc.cuboid(x, y, z) : this.#box(bounds, scale);
      }
      default:
        return ColliderDesc.cuboid(x, y, z);
    }
  }

  #box({ min, max }: Bounds, [sx, sy, sz]: Vec3) {
    const [x, y, z] = [
      half((max[0] - min[0]) * sx),
      half((max[1] - min[1]) * sy),
      half((max[2] - min[2]) * sz),
    ];
    return this.#rapier.ColliderDesc.cuboid(x, y, z).setTranslation(
      (min[0] + max[0]) / 2 * sx,
      (min[1] + max[1]) / 2 * sy,
      (min[2] + max[2]) / 2 * sz,
    );
  }
}

function inOrder(physicals: Iterable<Physical>): readonly Physical[] {
  return [...physicals].sort((a, b) => a.order - b.order);
}

function half(size: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, Math.abs(size) / 2));
}

function bounded([x, y, z]: Vec3): Vec3 {
  const inside = (value: number) => Math.min(LARGEST, Math.max(-LARGEST, value || 0));
  return [inside(x), inside(y), inside(z)];
}

function scaleOf(linear: Mat3, rotation: Mat3): Vec3 {
  const [x, , , , y, , , , z] = multiply(transpose(rotation), linear);
  return [x, y, z];
}
