import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  MathUtils,
  type Matrix4,
  Mesh,
  MeshBasicMaterial,
  Vector3,
} from "three";
import type { ParticleLook } from "./particle-file.ts";

/** Numbers per particle: initial position, initial velocity, age. */
const NUMBERS = 7;
const AGE = 6;

const start = new Vector3();
const right = new Vector3();
const up = new Vector3();
const direction = new Vector3();
const center = new Vector3();
const shade = new Color();

/** The particles of one emitter: squares that face the camera, drawn in one call. */
export class Swarm {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly #look: ParticleLook;
  readonly #first: Color;
  readonly #last: Color;
  /** {@linkcode NUMBERS} each, the oldest first. */
  #states = new Float32Array(0);
  #positions = new OfCorners(0, 3);
  #colors = new OfCorners(0, 4);
  #count = 0;
  #random: number;

  /** @param seed Of the directions that they start in: equal games look equal. */
  constructor(look: ParticleLook, seed: number) {
    this.#look = look;
    this.#first = new Color(look.color.rgb);
    this.#last = new Color(look.endColor.rgb);
    this.#random = seed;
    const material = new MeshBasicMaterial({
      map: look.image,
      vertexColors: true,
      transparent: true,
      depthWrite: false,
      toneMapped: false,
    });
    this.mesh = new Mesh(new BufferGeometry(), material);
    this.mesh.frustumCulled = false; // its corners move in every frame
    this.mesh.matrixAutoUpdate = false;
  }

  /**
   * Advances the particles.
   *
   * @param seconds Since the last frame; the complete lifetime for the first frame.
   * @param alive Their number in the world.
   * @param place The emitter's place: particles start along its own y.
   */
  advance(seconds: number, alive: number, place: Matrix4): void {
    const { lifetime } = this.#look;
    let old = 0;
    for (let n = 0; n < this.#count; n++) {
      const age = (this.#states[n * NUMBERS + AGE] ?? 0) + seconds;
      this.#states[n * NUMBERS + AGE] = age;
      if (age >= lifetime) old = n + 1;
    }
    old = Math.max(old, this.#count - alive);
    this.#states.copyWithin(0, old * NUMBERS, this.#count * NUMBERS);
    this.#count -= old;
    const born = alive - this.#count;
    this.#reserve(alive);
    const within = Math.min(seconds, lifetime);
    for (let n = 0; n < born; n++) this.#add(place, within * (born - n - 0.5) / born);
  }

  /**
   * Turns the particles towards a camera. Runs for thousands in each frame, so it allocates
   * nothing.
   */
  face(camera: Matrix4): void {
    const { geometry } = this.mesh;
    geometry.setDrawRange(0, this.#count * 6);
    this.mesh.visible = this.#count > 0;
    if (this.#count === 0) return;
    right.setFromMatrixColumn(camera, 0);
    up.setFromMatrixColumn(camera, 1);
    const { lifetime, size, endSize, gravity, color, endColor } = this.#look;
    const [first, last] = [this.#first, this.#last];
    const s = this.#states;
    for (let n = 0, at = 0; n < this.#count; n++, at += NUMBERS) {
      const age = s[at + AGE] ?? 0;
      const part = age / lifetime;
      const half = (size + (endSize - size) * part) / 2;
      center.set(
        (s[at] ?? 0) + (s[at + 3] ?? 0) * age,
        (s[at + 1] ?? 0) + (s[at + 4] ?? 0) * age - gravity * age * age / 2,
        (s[at + 2] ?? 0) + (s[at + 5] ?? 0) * age,
      );
      this.#putCorners(n * 12, half);
      shade.lerpColors(first, last, part);
      this.#paintCorners(n * 16, color.alpha + (endColor.alpha - color.alpha) * part);
    }
    this.#positions.send(this.#count);
    this.#colors.send(this.#count);
  }

  /** Writes the corners of a square around {@linkcode center}. */
  #putCorners(at: number, half: number): void {
    const into = this.#positions.numbers;
    const { x, y, z } = center;
    const rx = right.x * half, ry = right.y * half, rz = right.z * half;
    const ux = up.x * half, uy = up.y * half, uz = up.z * half;
    into[at] = x - rx + ux;
    into[at + 1] = y - ry + uy;
    into[at + 2] = z - rz + uz;
    into[at + 3] = x + rx + ux;
    into[at + 4] = y + ry + uy;
    into[at + 5] = z + rz + uz;
    into[at + 6] = x + rx - ux;
    into[at + 7] = y + ry - uy;
    into[at + 8] = z + rz - uz;
    into[at + 9] = x - rx - ux;
    into[at + 10] = y - ry - uy;
    into[at + 11] = z - rz - uz;
  }

  #paintCorners(at: number, alpha: number): void {
    const into = this.#colors.numbers;
    for (let corner = at; corner < at + 16; corner += 4) {
      into[corner] = shade.r;
      into[corner + 1] = shade.g;
      into[corner + 2] = shade.b;
      into[corner + 3] = alpha;
    }
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }

  #add(place: Matrix4, age: number): void {
    const { speed, spread } = this.#look;
    // Anywhere within the cone, each direction as likely as any other.
    const cosine = 1 - this.#next() * (1 - Math.cos(spread * MathUtils.DEG2RAD));
    const sine = Math.sqrt(1 - cosine * cosine);
    const around = this.#next() * 2 * Math.PI;
    direction.set(sine * Math.cos(around), cosine, sine * Math.sin(around));
    direction.transformDirection(place).multiplyScalar(speed);
    start.setFromMatrixPosition(place);
    const at = this.#count++ * NUMBERS;
    start.toArray(this.#states, at);
    direction.toArray(this.#states, at + 3);
    this.#states[at + AGE] = age;
  }

  /** From 0 to 1 (Mulberry32). */
  #next(): number {
    this.#random = this.#random + 0x6d2b79f5 | 0;
    let mixed = Math.imul(this.#random ^ this.#random >>> 15, 1 | this.#random);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  }

  /** Reserves room for that many, doubling each time. */
  #reserve(count: number): void {
    if (count * NUMBERS <= this.#states.length) return;
    const room = Math.max(64, 2 ** Math.ceil(Math.log2(count)));
    const states = new Float32Array(room * NUMBERS);
    states.set(this.#states);
    this.#states = states;
    this.#positions = new OfCorners(room, 3);
    this.#colors = new OfCorners(room, 4);
    this.mesh.geometry.dispose();
    this.mesh.geometry = squares(room, this.#look.part);
    this.mesh.geometry.setAttribute("position", this.#positions.attribute);
    this.mesh.geometry.setAttribute("color", this.#colors.attribute);
  }
}

/** An attribute of the four corners of each particle. */
class OfCorners {
  readonly numbers: Float32Array;
  readonly attribute: BufferAttribute;

  constructor(count: number, width: number) {
    this.numbers = new Float32Array(count * 4 * width);
    this.attribute = new BufferAttribute(this.numbers, width).setUsage(DynamicDrawUsage);
  }

  /** Uploads the values of the first `count` particles. */
  send(count: number): void {
    const { attribute } = this;
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, count * 4 * attribute.itemSize);
    attribute.needsUpdate = true;
  }
}

/** Creates that many squares, each with the same part of an image. */
function squares(
  count: number,
  { left, top, right, bottom }: ParticleLook["part"],
): BufferGeometry {
  const geometry = new BufferGeometry();
  const uv = new Float32Array(count * 8);
  const index = new Uint32Array(count * 6);
  for (let n = 0; n < count; n++) {
    uv.set([left, top, right, top, right, bottom, left, bottom], n * 8);
    index.set([0, 2, 1, 0, 3, 2].map((corner) => n * 4 + corner), n * 6);
  }
  geometry.setAttribute("uv", new BufferAttribute(uv, 2));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}
