import type { JsonObject } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Entity, Pose } from "../../editor/ports/mod.ts";
import { editorPart } from "../declaration/parts.ts";
import type { Services } from "../declaration/services.ts";
import { resolveAsset, resolveEntity } from "./entities.ts";

/** Samples an animation or a timeline at a time, on an entity. */
export async function poseOf(
  services: Services,
  { asset, t, id, guid }: {
    readonly asset?: string | undefined;
    /** Seconds. */
    readonly t: number;
    readonly id?: number | undefined;
    readonly guid?: string | undefined;
  },
): Promise<Result<Pose, Problem>> {
  const poses = editorPart(services, "poses");
  if (!poses.ok) return poses;
  const entity = resolveEntity((await services.editor.sceneState()).entities, { id, guid });
  if (!entity.ok) return entity;
  const clip = asset === undefined
    ? undefined
    : resolveAsset(await services.editor.assets(), asset);
  if (clip?.ok === false) return clip;
  return await poses.value.at({
    entity: entity.value.id,
    time: t,
    ...(clip !== undefined && { clip: clip.value.path }),
  });
}

/** Returns entities posed as an argument says: `{guid or id, t, asset?}`. */
export async function posedEntities(
  services: Services,
  entities: readonly Entity[],
  given: JsonObject | undefined,
): Promise<Result<readonly Entity[], Problem>> {
  if (given === undefined) return ok(entities);
  const { asset, t, id, guid, ...others } = given;
  if (
    typeof t !== "number" || (asset !== undefined && typeof asset !== "string") ||
    (id !== undefined && typeof id !== "number") ||
    (guid !== undefined && typeof guid !== "string") || Object.keys(others).length > 0
  ) return badPose(given);
  const pose = await poseOf(services, { asset, t, id, guid });
  if (!pose.ok) return pose;
  const changed = new Map(pose.value.values.map((one) => [one.id, one.traits]));
  return ok(entities.map((entity) => {
    const traits = Object.entries(changed.get(entity.id) ?? {}).map(([trait, fields]) =>
      [trait, { ...entity.traits[trait], ...fields }] as const
    );
    return traits.length === 0
      ? entity
      : { ...entity, traits: { ...entity.traits, ...Object.fromEntries(traits) } };
  }));
}

function badPose(given: JsonObject): Result<never, Problem> {
  const detail = "Cannot call render_scene: pose: expected {guid or id, t, asset?}, found " +
    JSON.stringify(given).slice(0, 200);
  return refuse(400, "bad-argument", detail, 'pose={"id":1,"t":0.5}');
}
