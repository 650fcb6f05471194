import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { HARBOR } from "../sample/levels.ts";
import { seededRandom } from "./random.ts";

/**
 * Replaces the sample's first level by a scene of that many entities, the same every time.
 *
 * @param options.turning One of this many entities rotates while a game plays; 0 for none.
 */
export function writeLargeScene(root: string, entities: number, { turning = 0 } = {}): void {
  const random = seededRandom(entities);
  const guids = Array.from({ length: entities }, (_, n) => guidOf(n, random.below(2 ** 32)));
  const place = () => Math.round(random.next() * 2_000 - 1_000) / 10;
  const scene = {
    schema: 1,
    name: "Large",
    entities: guids.map((guid, n) => {
      const group = n % 20 === 0;
      const parent = group ? undefined : guids[n - n % 20];
      return {
        guid,
        name: `${group ? "Group" : "Crate"} ${n}`,
        ...(parent !== undefined && { parent }),
        layer: "3d",
        traits: {
          Transform: { x: place(), y: place(), z: place() },
          ...(!group && { Renderable3D: {} }),
          ...(n === 1 && { Camera: {} }),
          ...(turning > 0 && n % turning === 1 && { Rotate: { y: 30 } }),
        },
      };
    }),
  };
  writeFileSync(join(root, HARBOR), JSON.stringify(scene));
}

function guidOf(n: number, random: number): string {
  const head = random.toString(16).padStart(8, "0");
  return `${head}-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}
