import { test } from "node:test";
import assert from "node:assert/strict";
import { Euler, Matrix4, Vector3 } from "three";
import type { ParticleLook } from "../../lib/game-web/picture/particle-file.ts";
import { Swarm } from "../../lib/game-web/picture/swarm.ts";

const LOOK: ParticleLook = {
  image: null,
  part: { left: 0, top: 0, right: 1, bottom: 1 },
  color: { rgb: "#ffffff", alpha: 1 },
  endColor: { rgb: "#000000", alpha: 0 },
  size: 0.2,
  endSize: 0.4,
  lifetime: 1,
  speed: 2,
  spread: 30,
  gravity: 0,
};
const NOWHERE = new Matrix4();

/** The middle and the width of each square, and how solid it is. */
function seen({ mesh: { geometry } }: Swarm) {
  const [position, color] = [geometry.getAttribute("position"), geometry.getAttribute("color")];
  return Array.from({ length: geometry.drawRange.count / 6 }, (_none, n) => {
    const corners = [0, 1, 2, 3].map((corner) =>
      new Vector3().fromBufferAttribute(position, n * 4 + corner)
    );
    const middle = corners.reduce((sum, corner) => sum.add(corner), new Vector3()).divideScalar(4);
    return {
      middle,
      width: (corners[0] ?? middle).distanceTo(corners[1] ?? middle),
      alpha: color.getW(n * 4),
    };
  });
}

function advanced(steps: readonly (readonly [seconds: number, alive: number])[], look = LOOK) {
  const swarm = new Swarm(look, 7);
  for (const [seconds, alive] of steps) swarm.advance(seconds, alive, NOWHERE);
  swarm.face(NOWHERE);
  return seen(swarm);
}

test("Swarm: there are as many particles as the world says, and the oldest go first", () => {
  assert.equal(advanced([[0.1, 5], [0.1, 200], [0.1, 3]]).length, 3);
  const ages = advanced([[0.5, 4], [0.25, 6]]).map(({ alpha }) => 1 - alpha);
  assert.deepEqual(ages.map((age) => Math.round(age * 1000) / 1000), [
    0.688,
    0.563,
    0.438,
    0.313,
    0.188,
    0.063,
  ]);
  assert.equal(advanced([[0.5, 4], [2, 0]]).length, 0);
});

test("Swarm: particles start within their cone, grow and fade, and fall", () => {
  for (const { middle, width, alpha } of advanced([[1, 500]])) {
    const age = 1 - alpha;
    assert.ok(Math.abs(middle.length() - 2 * age) < 1e-5, "at their speed");
    assert.ok(middle.angleTo(new Vector3(0, 1, 0)) <= 30.01 * Math.PI / 180);
    assert.ok(Math.abs(width - (0.2 + 0.2 * age)) < 1e-5);
  }
  const [fallen] = advanced([[0.002, 1], [0.499, 1]], { ...LOOK, spread: 0, gravity: 10 });
  assert.ok(fallen !== undefined && Math.abs(fallen.middle.y - (2 * 0.5 - 10 * 0.25 / 2)) < 1e-3);
});

test("Swarm: equal games look equal, and a turned emitter emits along its own y", () => {
  assert.deepEqual(advanced([[0.3, 9], [0.3, 30]]), advanced([[0.3, 9], [0.3, 30]]));
  const swarm = new Swarm({ ...LOOK, spread: 0 }, 1);
  const place = new Matrix4().makeRotationFromEuler(new Euler(0, 0, -Math.PI / 2)).setPosition(
    5,
    0,
    0,
  );
  swarm.advance(1, 1, place);
  swarm.face(NOWHERE);
  const [one] = seen(swarm);
  assert.ok(
    one !== undefined && Math.abs(one.middle.x - 6) < 1e-5 && Math.abs(one.middle.y) < 1e-5,
  );
});
