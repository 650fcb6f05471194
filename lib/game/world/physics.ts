import type {
  Collider,
  EventQueue,
  RigidBody,
  World as RapierWorld,
} from "@dimforge/rapier3d-compat";
import type { Problem } from "../../core/problem.ts";
import type { AssetDetails } from "../assets/details.ts";
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
} from "../geometry/math.ts";
import type { Vec3 } from "../types/mod.ts";
import { numberIn, textIn } from "../traits/value.ts";
import { quaternionOf } from "../geometry/quaternion.ts";
import type { Bodies, BodyTouch } from "./bodies.ts";
import { Carriers } from "./carriers.ts";
import type { LiveEntity, LiveWorld } from "./live-world.ts";
import type { Rapier } from "./rapier.ts";
import { clampPosition, massOf, Shapes } from "./shapes.ts";
import { type Core, MAX_TOUCHING, Piles, touchingProblem } from "./piles.ts";

interface Physical {
  /** Grows from body to body. */
  readonly order: number;
  readonly entity: LiveEntity;
  readonly body: RigidBody;
  readonly collider: Collider;
  /** Whether forces move it, which never changes. */
  readonly isDynamic: boolean;
  /** Whether nothing has moved it yet and nothing should. */
  isFixed: boolean;
  /** Whether its entity is moved by another one as well. */
  readonly isCarried: boolean;
  /** Its centre, if it is movable; a fixed body gets one when it is moved. */
  core: Core | null;
  /** Centre of its shape in its own space; `null` at its origin. */
  readonly offset: Vec3 | null;
  /** Half of its smallest extent, in metres. */
  readonly radius: number;
  /** Number of other bodies that it touches. */
  touches: number;
  /** Value of the entity's move counter that the engine knows. */
  moves: number;
  /** The rotation that its Transform was last given by the engine; NaN once others have moved it. */
  readonly turned: MutableQuaternion;
}

type MutableQuaternion = { -readonly [Axis in keyof Quaternion]: number };

/** A point as the engine has it. */
type Point = Pick<Quaternion, "x" | "y" | "z">;

/**
 * The bodies of the 3D layer: every entity with a Collider. Without a RigidBody it is fixed, or
 * follows what moves it. Bodies are created in document order, so that equal worlds evolve equally.
 */
export class Physics implements Bodies {
  readonly #rapier: Rapier;
  readonly #live: LiveWorld;
  readonly #shapes: Shapes;
  readonly #world: RapierWorld;
  readonly #events: EventQueue;
  readonly #bodies = new Map<number, Physical>();
  readonly #byCollider = new Map<number, Physical>();
  /** Bodies that forces move, in order of creation. */
  readonly #dynamic = new Set<Physical>();
  readonly #carriers: Carriers;
  readonly #piles = new Piles();
  /** Pairs that touch. */
  #touching = 0;
  #overload: Problem | null = null;
  #made = 0;
  /** Objects that the engine writes into: two new objects for every body and step would be many. */
  readonly #at = { x: 0, y: 0, z: 0 };
  readonly #turned = { x: 0, y: 0, z: 0, w: 1 };
  /** Bodies that move with one that the last step has moved. */
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
    this.#carriers = new Carriers(live);
    this.#shapes = new Shapes(rapier, details);
    this.#world = new rapier.World({ x: 0, y: -gravity, z: 0 });
    this.#world.timestep = timestep;
    this.#events = new rapier.EventQueue(true);
    for (const entity of live.withTrait("Collider")) this.add(entity);
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
    const [x, y, z] = clampPosition(affine.offset);
    desc.setTranslation(x, y, z).setRotation(quaternionOf(rotation))
      .setGravityScale(numberIn(rigid, "gravityScale", 1))
      .setLinearDamping(numberIn(rigid, "linearDamping"))
      .setAngularDamping(numberIn(rigid, "angularDamping"));
    if (rigid?.["lockRotation"] === true) desc.lockRotations();
    const body = this.#world.createRigidBody(desc);
    const scale = scaleOf(affine.linear, rotation);
    const { desc: shaped, radius, offset } = this.#shapes.of(entity, scale);
    const shape = shaped
      .setFriction(numberIn(collider, "friction", 0.5))
      .setRestitution(numberIn(collider, "restitution"))
      .setSensor(collider["sensor"] === true)
      .setActiveEvents(rapier.ActiveEvents.COLLISION_EVENTS)
      .setActiveCollisionTypes(
        rapier.ActiveCollisionTypes.DEFAULT | rapier.ActiveCollisionTypes.KINEMATIC_FIXED |
          rapier.ActiveCollisionTypes.KINEMATIC_KINEMATIC,
      )
      .setMass(massOf(rigid));
    const made = this.#world.createCollider(shape, body);
    const physical: Physical = {
      order: this.#made++,
      entity,
      body,
      collider: made,
      isDynamic: kind !== "fixed" && kind !== "kinematic",
      isFixed: kind === "fixed",
      isCarried: this.#live.carrierOf(entity) !== undefined,
      core: null,
      offset,
      radius,
      touches: 0,
      moves: this.#live.placeVersion(entity),
      turned: { x: NaN, y: NaN, z: NaN, w: NaN },
    };
    this.#bodies.set(entity.id, physical);
    this.#byCollider.set(made.handle, physical);
    if (physical.isDynamic) this.#dynamic.add(physical);
    if (kind !== "fixed") this.#trackCore(physical, { x, y, z }, quaternionOf(rotation));
    this.#live.watch(entity);
    this.#carriers.add(entity);
  }

  /** Takes an entity's body away. */
  remove(id: number): void {
    const physical = this.#bodies.get(id);
    this.#carriers.remove(id, physical?.entity.parentId ?? null);
    if (physical === undefined) return;
    this.#bodies.delete(id);
    this.#byCollider.delete(physical.collider.handle);
    this.#dynamic.delete(physical);
    this.#pulled.delete(physical);
    if (physical.core !== null) this.#piles.remove(physical.core);
    this.#world.removeRigidBody(physical.body);
  }

  /** Whether forces move the entity. */
  isDynamic(id: number): boolean {
    return this.#bodies.get(id)?.isDynamic ?? false;
  }

  /** Returns its velocity in metres per second; `null` if no forces move it. */
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
   * Runs a step: applies changes by others, and moves the bodies that forces move. Skips this step
   * and all later ones if it would take too long ({@linkcode overload}).
   */
  step(): readonly BodyTouch[] {
    this.#followAll();
    this.#overload ??= this.#piles.check();
    if (this.#overload !== null) return [];
    this.#advance();
    for (const physical of this.#dynamic) this.#writeBack(physical);
    const touches: BodyTouch[] = [];
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

  /**
   * `World.step` without its last part, which searches all bodies and colliders for torn pieces of
   * soft bodies, of which there are none.
   */
  #advance(): void {
    const world = this.#world;
    world.physicsPipeline.step(
      world.gravity,
      world.integrationParameters,
      world.islands,
      world.broadPhase,
      world.narrowPhase,
      world.bodies,
      world.colliders,
      world.softBodies,
      world.impulseJoints,
      world.multibodyJoints,
      world.ccdSolver,
      this.#events,
    );
  }

  #mostTouched(): Physical | undefined {
    if (this.#touching <= MAX_TOUCHING) return undefined;
    let most: Physical | undefined;
    for (const physical of this.#bodies.values()) {
      if (physical.touches > (most?.touches ?? 0)) most = physical;
    }
    return most;
  }

  /** Frees the engine's memory; no method may be called afterwards. */
  free(): void {
    this.#events.free();
    this.#world.free();
    this.#bodies.clear();
    this.#byCollider.clear();
    this.#dynamic.clear();
  }

  /**
   * Pulls the bodies that move with an entity: its own, and those of everything that it carries.
   */
  #pull(id: number, seen: Set<number>): void {
    for (const carried of this.#carriers.below(id, seen)) {
      const physical = this.#bodies.get(carried);
      if (physical !== undefined) this.#pulled.add(physical);
    }
  }

  /** Updates the stored centre of a body. */
  #trackCore(physical: Physical, at: Point, turned: Quaternion): void {
    if (physical.core === null) {
      const { entity, isDynamic, collider, radius } = physical;
      const isSensor = collider.isSensor();
      physical.core = { entity, isDynamic, isSensor, at: [0, 0, 0], half: radius / 2 };
      this.#piles.add(physical.core);
    }
    const { core: { at: middle }, offset } = physical;
    middle[0] = at.x;
    middle[1] = at.y;
    middle[2] = at.z;
    if (offset === null) return;
    const away = rotate(matrixOf(turned), offset);
    middle[0] += away[0];
    middle[1] += away[1];
    middle[2] += away[2];
  }

  #followAll(): void {
    const pulled = this.#pulled;
    const moved = this.#live.drainMoved();
    if (moved.length > 0) {
      const seen = new Set<number>();
      for (const { id } of moved) this.#pull(id, seen);
    }
    if (pulled.size === 0) return;
    const ordered = inOrder(pulled);
    pulled.clear();
    for (const physical of ordered) this.#follow(physical);
  }

  #follow(physical: Physical): void {
    const { entity, body } = physical;
    const moves = this.#live.placeVersion(entity);
    if (moves === physical.moves) return;
    physical.moves = moves;
    physical.turned.x = NaN;
    const { affine, rotation } = this.#live.placeOf(entity);
    const inside = clampPosition(affine.offset);
    const at = { x: inside[0], y: inside[1], z: inside[2] };
    const turned = quaternionOf(rotation);
    this.#trackCore(physical, at, turned);
    if (physical.isDynamic) {
      body.setTranslation(at, true);
      body.setRotation(turned, true);
      return;
    }
    // A moved body pushes others away, which a fixed body does not.
    if (physical.isFixed) {
      physical.isFixed = false;
      body.setBodyType(this.#rapier.RigidBodyType.KinematicPositionBased, true);
    }
    body.setNextKinematicTranslation(at);
    body.setNextKinematicRotation(turned);
  }

  /** Runs for every awake body in every step, so it avoids allocations. */
  #writeBack(physical: Physical): void {
    const { entity, body, turned, isCarried } = physical;
    if (body.isSleeping()) return;
    const at = body.translation(this.#at);
    const now = body.rotation(this.#turned);
    this.#trackCore(physical, at, now);
    const carrier = isCarried ? this.#live.carrierOf(entity) : undefined;
    if (carrier === undefined) {
      const isTurned = now.x !== turned.x || now.y !== turned.y || now.z !== turned.z ||
        now.w !== turned.w;
      const euler = isTurned ? eulerOf(matrixOf(now)) : null;
      physical.moves = this.#live.setPose(entity, [at.x, at.y, at.z], euler);
      turned.x = now.x;
      turned.y = now.y;
      turned.z = now.z;
      turned.w = now.w;
    } else {
      const { position, euler } = this.#inside(carrier, [at.x, at.y, at.z], matrixOf(now));
      this.#live.setPose(entity, position, euler);
      physical.moves = this.#live.placeVersion(entity);
    }
    // A pulled body has already pulled everything that it carries.
    if (!this.#carriers.has(entity.id) || this.#pulled.has(physical)) return;
    this.#pull(entity.id, new Set());
    this.#pulled.delete(physical);
  }

  #inside(carrier: LiveEntity, offset: Vec3, rotation: Mat3) {
    const parent = this.#live.placeOf(carrier);
    const inverse = invert(parent.affine.linear);
    const position = inverse === null
      ? offset
      : rotate(inverse, subtract(offset, parent.affine.offset));
    return { position, euler: eulerOf(multiply(transpose(parent.rotation), rotation)) };
  }
}

function inOrder(physicals: Iterable<Physical>): readonly Physical[] {
  const list = [...physicals];
  const isInOrder = list.every((one, n) => n === 0 || (list[n - 1]?.order ?? 0) < one.order);
  return isInOrder ? list : list.sort((a, b) => a.order - b.order);
}

function scaleOf(linear: Mat3, rotation: Mat3): Vec3 {
  const scaled = multiply(transpose(rotation), linear);
  return [scaled[0], scaled[4], scaled[8]];
}
