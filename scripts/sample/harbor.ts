import type { AssetRef } from "./assets.ts";
import { buildBoats, buildEffects } from "./boats.ts";
import { buildCourse, buildGates } from "./course.ts";
import { buildDocks } from "./docks.ts";
import { buildHud } from "./hud.ts";
import type { Level } from "./levels.ts";
import { buildOverlay } from "./overlay.ts";
import { buildRoundEnd } from "./round-end.ts";
import { SceneBuilder } from "./scene-builder.ts";
import { buildStage, buildWaters } from "./stage.ts";

/** The scene of a level: a number of laps through its gates, coins in, patrols out of the way. */
export async function levelScene(ref: AssetRef, level: Level): Promise<Uint8Array> {
  const scene = new SceneBuilder(level.scene);
  const world = { scene, ref, level };
  await buildStage(world);
  await buildDocks(world);
  await buildBoats(world);
  await buildCourse(world);
  await buildOverlay(world);
  await buildHud(world);
  await buildWaters(world);
  await buildGates(world);
  await buildEffects(world);
  await buildRoundEnd(world);
  return scene.toFile();
}
