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

/** Where it began, how fast it started, and how old it is. */
const NUMBERS = 7;
const AGE = 6;
/** The corners of a square: across and down, in halves of its size. */
const CORNERS = [[-1, 1], [1, 1], [1, -1], [-1, -1]] as const;

const start = new Vector3();
const right = new Vector3();
const up = new Vector3();
const direction = new Vector3();

/** The particles of one emitter: squares that face the camera, drawn in one call. */
export class Swarm {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly #look: ParticleLook;
  readonly #first: Color;
  readonly #last: Color;
  /** {@linkcode NUMBERS} each, the oldest first. */
  #states = new Float32Array(0);
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
   * Goes on in time.
   *
   * @param seconds Since it was seen last; its whole lifetime for one that is seen the first time.
   * @param alive How many there are by then: the world says so.
   * @param place Where the emitter is: they start along its own y.
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

  /** Turns them to a camera. */
  face(camera: Matrix4): void {
    const { geometry } = this.mesh;
    const positions = geometry.getAttribute("position");
    const colors = geometry.getAttribute("color");
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
      const x = (s[at] ?? 0) + (s[at + 3] ?? 0) * age;
      const y = (s[at + 1] ?? 0) + (s[at + 4] ?? 0) * age - gravity * age * age / 2;
      const z = (s[at + 2] ?? 0) + (s[at + 5] ?? 0) * age;
      const red = first.r + (last.r - first.r) * part;
      const green = first.g + (last.g - first.g) * part;
      const blue = first.b + (last.b - first.b) * part;
      const alpha = color.alpha + (endColor.alpha - color.alpha) * part;
      for (let corner = 0; corner < 4; corner++) {
        const [across, down] = CORNERS[corner] ?? [0, 0];
        const [a, b] = [across * half, down * half];
        const vertex = n * 4 + corner;
        positions.setXYZ(
          vertex,
          x + right.x * a + up.x * b,
          y + right.y * a + up.y * b,
          z + right.z * a + up.z * b,
        );
        colors.setXYZW(vertex, red, green, blue, alpha);
      }
    }
    positions.needsUpdate = true;
    colors.needsUpdate = true;
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

  /** Makes room for so many, twice as many each time. */
  #reserve(count: number): void {
    if (count * NUMBERS <= this.#states.length) return;
    const room = Math.max(64, 2 ** Math.ceil(Math.log2(count)));
    const states = new Float32Array(room * NUMBERS);
    states.set(this.#states);
    this.#states = states;
    this.mesh.geometry.dispose();
    this.mesh.geometry = squares(room, this.#look.part);
  }
}

/** So many squares, each with the same part of an image. */
function squares(
  count: number,
  { left, top, right, bottom }: ParticleLook["part"],
): BufferGeometry {
  const geometry = new BufferGeometry();
  const moving = (width: number) =>
    new BufferAttribute(new Float32Array(count * 4 * width), width).setUsage(DynamicDrawUsage);
  geometry.setAttribute("position", moving(3));
  geometry.setAttribute("color", moving(4));
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
