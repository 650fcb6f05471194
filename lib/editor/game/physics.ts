import type {
  Collider,
  ColliderDesc,
  EventQueue,
  RigidBody,
  World as RapierWorld,
} from "@dimforge/rapier3d-compat";
import type { Problem } from "../../core/problem.ts";
import type { AssetDetails } from "../assets/asset-details.ts";
import { renderableBounds } from "../assets/renderable-bounds.ts";
import type { Bounds } from "../geometry/bounds.ts";
import {
  add,
  eulerOf,
  invert,
  type Mat3,
  matrixOf,
  multiply,
  type Quaternion,
  rotate,
  subtract,
  transpose,
} from "../geometry/math.ts";
import type { TraitFields, Vec3 } from "../ports/mod.ts";
import { numberIn, textIn } from "../traits/value.ts";
import { quaternionOf } from "../geometry/quaternion.ts";
import type { LiveEntity, LiveWorld } from "./live-world.ts";
import { type Core, MAX_TOUCHING, Piles, touchingProblem } from "./piles.ts";

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
  /** Whether its entity is moved by another one as well. */
  readonly isCarried: boolean;
  /** Its middle, where it can be moved; a fixed body that is moved after all gets one then. */
  core: Core | null;
  /** Where the middle of its shape is, in its own space, where that is not its origin. */
  readonly offset: Vec3 | null;
  /** Half of its shortest direction, in metres. */
  readonly radius: number;
  /** How many others it touches. */
  touches: number;
  /** Moves of the entity that the engine knows of. */
  moves: number;
  /** The rotation that its Transform was last given by the engine; NaN once others have moved it. */
  readonly turned: MutableQuaternion;
}

/** A shape for the engine, and what is minded of it. */
interface Shape extends Pick<Physical, "radius" | "offset"> {
  readonly desc: ColliderDesc;
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
  /** Of entities that have a body, and of all that carry them: what they carry, right below. */
  readonly #carried = new Map<number, Set<number>>();
  readonly #piles = new Piles();
  /** Pairs that touch. */
  #touching = 0;
  #overload: Problem | null = null;
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
    const { desc: shaped, radius, offset } = this.#shape(entity, collider, scale);
    const shape = shaped
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
    const physical: Physical = {
      order: this.#made++,
      entity,
      body,
      collider: made,
      isDynamic: kind !== "fixed" && kind !== "kinematic",
      isCarried: this.#live.carrierOf(entity) !== undefined,
      core: null,
      offset,
      radius,
      touches: 0,
      moves: this.#live.movesOf(entity),
      turned: { x: NaN, y: NaN, z: NaN, w: NaN },
    };
    this.#bodies.set(entity.id, physical);
    this.#byCollider.set(made.handle, physical);
    if (physical.isDynamic) this.#dynamic.add(physical);
    if (kind !== "fixed") this.#mind(physical, [x, y, z], quaternionOf(rotation));
    this.#link(entity);
  }

  /** Takes an entity's body away. */
  remove(id: number): void {
    this.#carried.delete(id);
    const physical = this.#bodies.get(id);
    if (physical === undefined) return;
    this.#bodies.delete(id);
    this.#byCollider.delete(physical.collider.handle);
    this.#dynamic.delete(physical);
    this.#pulled.delete(physical);
    if (physical.core !== null) this.#piles.remove(physical.core);
    this.#carried.get(physical.entity.parentId ?? 0)?.delete(id);
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

  /** Why no more steps are made; `null` as long as they are. */
  get overload(): Problem | null {
    return this.#overload;
  }

  /**
   * Runs one step: takes over what others have moved, and moves what the forces move. It is left out, as
   * all later ones are, where it would take too long ({@linkcode overload}).
   */
  step(): readonly Touch[] {
    this.#followAll();
    this.#overload ??= this.#piles.look();
    if (this.#overload !== null) return [];
    this.#world.step(this.#events);
    for (const physical of this.#dynamic) this.#writeBack(physical);
    const touches: Touch[] = [];
    this.#events.drainCollisionEvents((first, second, began) => {
      const [one, other] = [this.#byCollider.get(first), this.#byCollider.get(second)];
      const change = began ? 1 : -1;
      this.#touching += change;
      if (one !== undefined) one.touches += change;
      if (other !== undefined) other.touches += change;
      if (one === undefined || other === undefined) return;
      const [a, b] = one.entity.id < other.entity.id ? [one, other] : [other, one];
      const sensor = a.collider.isSensor() || b.collider.isSensor();
      touches.push({ a: a.entity, b: b.entity, began, sensor });
    });
    this.#overload = touchingProblem(this.#touching, this.#mostTouched());
    return touches;
  }

  #mostTouched(): Physical | undefined {
    if (this.#touching <= MAX_TOUCHING) return undefined;
    let most: Physical | undefined;
    for (const physical of this.#bodies.values()) {
      if (physical.touches > (most?.touches ?? 0)) most = physical;
    }
    return most;
  }

  /** Gives the engine's memory back; nothing may be called afterwards. */
  free(): void {
    this.#events.free();
    this.#world.free();
    this.#bodies.clear();
    this.#byCollider.clear();
    this.#dynamic.clear();
    this.#carried.clear();
  }

  /** Notes who carries an entity, up to one of whom it is known. */
  #link(entity: LiveEntity): void {
    let below = entity.id;
    for (let at = this.#live.carrierOf(entity); at !== undefined; at = this.#live.carrierOf(at)) {
      const known = this.#carried.get(at.id);
      if (known !== undefined) return void known.add(below);
      this.#carried.set(at.id, new Set([below]));
      below = at.id;
    }
  }

  /**
   * The bodies that an entity takes along: its own, and those of all that it carries.
   *
   * @param seen Entities that are passed over with all that they carry; those found are added.
   */
  #below(id: number, seen: Set<number> = new Set()): readonly Physical[] {
    const found: Physical[] = [];
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      const physical = this.#bodies.get(next);
      if (physical !== undefined) found.push(physical);
      for (const carried of this.#carried.get(next) ?? []) waiting.push(carried);
    }
    return found;
  }

  /** Minds where the middle of a body is from now on. */
  #mind(physical: Physical, at: Vec3, turned: Quaternion): void {
    if (physical.core === null) {
      const { entity, isDynamic, collider, radius } = physical;
      const isSensor = collider.isSensor();
      physical.core = { entity, isDynamic, isSensor, at: [0, 0, 0], half: radius / 2 };
      this.#piles.add(physical.core);
    }
    const { core, offset } = physical;
    const [x, y, z] = offset === null ? at : add(at, rotate(matrixOf(turned), offset));
    core.at[0] = x;
    core.at[1] = y;
    core.at[2] = z;
  }

  #followAll(): void {
    const pulled = new Set(this.#pulled);
    this.#pulled.clear();
    const seen = new Set<number>();
    for (const id of this.#live.takeMoved()) {
      for (const physical of this.#below(id, seen)) pulled.add(physical);
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
    const turned = quaternionOf(rotation);
    this.#mind(physical, [x, y, z], turned);
    if (physical.isDynamic) {
      body.setTranslation({ x, y, z }, true);
      body.setRotation(turned, true);
      return;
    }
    // What is moved after all pushes others away, which a fixed body does not.
    if (body.isFixed()) body.setBodyType(this.#rapier.RigidBodyType.KinematicPositionBased, true);
    body.setNextKinematicTranslation({ x, y, z });
    body.setNextKinematicRotation(turned);
  }

  /** What happens to every body that is awake in every step: nothing is allocated that need not be. */
  #writeBack(physical: Physical): void {
    const { entity, body, turned, isCarried } = physical;
    if (body.isSleeping()) return;
    const { x, y, z } = body.translation(this.#at);
    const now = body.rotation(this.#turned);
    this.#mind(physical, [x, y, z], now);
    const carrier = isCarried ? this.#live.carrierOf(entity) : undefined;
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
    // What is pulled itself has pulled along all that it carries.
    if (!this.#carried.has(entity.id) || this.#pulled.has(physical)) return;
    for (const other of this.#below(entity.id)) if (other !== physical) this.#pulled.add(other);
  }

  #inside(carrier: LiveEntity, offset: Vec3, rotation: Mat3) {
    const parent = this.#live.placeOf(carrier);
    const inverse = invert(parent.affine.linear);
    const position = inverse === null
      ? offset
      : rotate(inverse, subtract(offset, parent.affine.offset));
    return { position, euler: eulerOf(multiply(transpose(parent.rotation), rotation)) };
  }

  #shape(entity: LiveEntity, fields: TraitFields, scale: Vec3): Shape {
    const { ColliderDesc } = this.#rapier;
    const [x, y, z] = [
      half(numberIn(fields, "width", 1) * scale[0]),
      half(numberIn(fields, "height", 1) * scale[1]),
      half(numberIn(fields, "depth", 1) * scale[2]),
    ];
    switch (textIn(fields, "shape")) {
      case "sphere":
        return { desc: ColliderDesc.ball(x), radius: x, offset: null };
      case "capsule":
        return {
          desc: ColliderDesc.capsule(Math.max(SMALLEST, y - x), x),
          radius: x,
          offset: null,
        };
      case "cylinder":
        return { desc: ColliderDesc.cylinder(y, x), radius: Math.min(x, y), offset: null };
      case "mesh": {
        const bounds = renderableBounds(entity.traits["Renderable3D"] ?? {}, this.#details);
        return bounds === undefined ? this.#cuboid([x, y, z]) : this.#box(bounds, scale);
      }
      default:
        return this.#cuboid([x, y, z]);
    }
  }

  #cuboid([x, y, z]: Vec3, offset: Vec3 | null = null): Shape {
    const desc = this.#rapier.ColliderDesc.cuboid(x, y, z);
    if (offset !== null) desc.setTranslation(offset[0], offset[1], offset[2]);
    return { desc, radius: Math.min(x, y, z), offset };
  }

  #box({ min, max }: Bounds, [sx, sy, sz]: Vec3): Shape {
    const [x, y, z] = [
      half((max[0] - min[0]) * sx),
      half((max[1] - min[1]) * sy),
      half((max[2] - min[2]) * sz),
    ];
    return this.#cuboid([x, y, z], [
      (min[0] + max[0]) / 2 * sx,
      (min[1] + max[1]) / 2 * sy,
      (min[2] + max[2]) / 2 * sz,
    ]);
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
