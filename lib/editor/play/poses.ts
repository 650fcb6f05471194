import type { JsonValue } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { type Clip, readClip, readTimeline, type TimelinePlan } from "../../game/assets/mod.ts";
import { textIn } from "../../game/traits/mod.ts";
import { posedAt } from "../../game/world/mod.ts";
import type { AssetAuthoring, Entity, Pose, Poses } from "../ports/mod.ts";
import type { EditorCore } from "../session/editor-core.ts";
import type { SeenScene } from "../session/seen-scene.ts";

/** Moments of animations and timelines in the edited scene. */
export class ScenePoses implements Poses {
  readonly #core: EditorCore;
  readonly #authoring: Pick<AssetAuthoring, "read">;
  readonly #seen: () => SeenScene;

  /** @param seen The scene as the reader sees it. */
  constructor(
    core: EditorCore,
    authoring: Pick<AssetAuthoring, "read">,
    seen: () => SeenScene,
  ) {
    this.#core = core;
    this.#authoring = authoring;
    this.#seen = seen;
  }

  async at({ entity: id, clip, time }: Parameters<Poses["at"]>[0]): ReturnType<Poses["at"]> {
    const { playing, traits } = this.#core;
    if (playing !== null) return whilePlaying();
    const all = this.#seen().document.entities();
    const entity = all.find((one) => one.id === id);
    if (entity === undefined) return noSuchEntity(id);
    const name = clip ?? (textIn(entity.traits["Timeline"], "timeline") ||
      textIn(entity.traits["Animator"], "clip"));
    if (name === "") return noClip(entity);
    const read = await this.#authoring.read(name);
    if (!read.ok) return read;
    const { asset: { path, type }, content } = read.value;
    const timeline = type === "timeline" ? readTimeline(content) : null;
    const animation = type === "animation" ? readClip(content) : null;
    const plan = timeline ?? animation;
    if (plan === null) return notInTime(path, type);
    const at = Math.max(0, Math.min(plan.length, time));
    const posed = posedAt({
      entities: treeOf(all, entity),
      ...(timeline !== null && { timeline }),
      ...(animation !== null && { clip: animation }),
      clips: await this.#clipsOf(timeline),
      time: at,
    }, traits);
    return ok<Pose>({ entity: id, path, time: at, length: plan.length, ...posed });
  }

  /** The animations that a timeline names, as their files have them. */
  async #clipsOf(timeline: TimelinePlan | null): Promise<ReadonlyMap<string, Clip>> {
    const clips = new Map<string, Clip>();
    const tracks = timeline?.tracks.filter(({ type }) => type === "animation") ?? [];
    for (const guid of new Set(tracks.flatMap(({ items }) => items.map(({ clip }) => clip)))) {
      const read = guid === "" ? null : await this.#authoring.read(guid);
      const content: JsonValue = read?.ok === true ? read.value.content : null;
      const clip = readClip(content);
      if (clip !== null) clips.set(guid, clip);
    }
    return clips;
  }
}

/** An entity with all below it; it is first. */
function treeOf(all: readonly Entity[], root: Entity): readonly Entity[] {
  const ids = new Set([root.id]);
  const below = all.filter(({ id, parentId }) => {
    if (parentId === null || !ids.has(parentId)) return false;
    ids.add(id);
    return true;
  });
  return [root, ...below];
}

function whilePlaying(): Result<never, Problem> {
  const detail = "Cannot show a moment of the edited scene while a game runs";
  return refuse(409, "playing", detail, "drag_handle moves the playhead of a running timeline");
}

function noSuchEntity(id: number): Result<never, Problem> {
  const detail = `There is no entity with the id ${id}`;
  return refuse(404, "no-such-entity", detail, "svc_get_scene_state lists ids");
}

function noClip({ name, id }: Entity): Result<never, Problem> {
  const detail = `"${name.slice(0, 120)}" (id ${id}) has no Timeline and no Animator with a clip`;
  return refuse(422, "no-clip", detail, "Name an animation or a timeline");
}

function notInTime(path: string, type: string): Result<never, Problem> {
  const detail = `Cannot show a moment of "${path}": found ${type}, or nothing that can be read, ` +
    "expected an animation or a timeline";
  return refuse(422, "wrong-asset-type", detail, "list_assets type=timeline lists those");
}
