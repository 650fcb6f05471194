import { z } from "zod";
import { eachOf, runCooperatively } from "../../core/cooperative.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import {
  type Entity,
  referenceFields,
  referencesTo,
  type Vec3,
  type WorldBounds,
} from "../../editor/ports/mod.ts";
import { AssetIndex, EntityIndex, resolveAsset, resolveEntity } from "../scene/entities.ts";
import { pageOf } from "../answer/lists.ts";
import { atOneRevision } from "../scene/one-revision.ts";
import {
  after,
  anyNumber,
  choice,
  limit,
  numbers,
  text,
  texts,
  wholeNumber,
} from "../declaration/parameters.ts";
import { distanceToBox, meetsBox, rayToBox } from "../scene/spatial.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

const LIST_LIMIT = 50;
/** Clock by which long searches yield the thread. */
const now = () => performance.now();
/** Maximum names resolved in one call. */
const MAX_REFS = 1_000;

/** `find_references`: users of an entity or an asset in the open scene. */
const findReferences: Tool = defineTool({
  name: "find_references",
  route: "/api/references",
  purpose: "Fields of the open scene that name an entity or an asset",
  defaultShape: `the first ${LIST_LIMIT}; needs id=, guid= or asset=`,
  parameters: z.object({
    id: wholeNumber("the entity that is named", { min: 0 }),
    guid: text("the entity that is named"),
    asset: text("path or guid of the asset that is named"),
    limit: limit(`${LIST_LIMIT}`),
    after: after(),
  }),
  drillDown: {},
  annotations: READ_ONLY,
  fills: () => "references",

  async produce({ editor }, { id, guid, asset }, { signal }) {
    const [{ entities }, traits, assets] = await Promise.all([
      editor.sceneState(),
      editor.traits(),
      editor.assets(),
    ]);
    if (id === undefined && guid === undefined && asset === undefined) {
      return refuseMissing("find_references", "id", "id=, guid= or asset=");
    }
    const target = asset === undefined
      ? resolveEntity(entities, { id, guid })
      : resolveAsset(assets, asset);
    if (!target.ok) return target;
    const found = await runCooperatively(
      referencesTo(target.value.guid, entities, referenceFields(traits)),
      { now, signal },
    );
    return ok({ target: target.value.name, found });
  },

  summarize({ target, found }, { limit = LIST_LIMIT, after }) {
    const { shown, cut } = pageOf(found, { limit, after });
    return ok({
      target,
      count: found.length,
      references: shown.map(({ entity, trait, name }) => ({
        id: entity.id,
        name: entity.name,
        field: `${trait}.${name}`,
      })),
      ...cut,
    });
  },
});

/** `resolve_refs`: the things behind ids and guids. */
const resolveRefs: Tool = defineTool({
  name: "resolve_refs",
  route: "/api/resolve-refs",
  purpose: "Names of entities or assets by ids and guids, and whether they exist",
  defaultShape: "names; needs refs=",
  parameters: z.object({ refs: texts("ids, guids or their beginnings") }),
  drillDown: { refs: "ids, guids" },
  sizeWarning: "by refs=",
  annotations: READ_ONLY,

  async produce({ editor }, { refs }) {
    if (refs === undefined) return refuseMissing("resolve_refs", "refs", "refs=12,3fa2b1c0");
    if (refs.length > MAX_REFS) {
      const detail =
        `Cannot call resolve_refs: found ${refs.length} refs, expected ${MAX_REFS} at most`;
      return refuse(400, "bad-argument", detail, "Split the list");
    }
    const [scene, listed] = await Promise.all([editor.sceneState(), editor.assets()]);
    const [entities, assets] = [new EntityIndex(scene.entities), new AssetIndex(listed)];
    return ok(refs.map((ref): Resolved => {
      const known = /^\d+$/.test(ref) ? entities.byKey(Number(ref)) : undefined;
      const entity = known === undefined ? resolveEntity(entities, { guid: ref }) : ok(known);
      if (entity.ok) return { ref, ...entityFacts(entity.value), alive: true };
      const asset = resolveAsset(assets, ref);
      if (asset.ok) return { ref, asset: asset.value.path, alive: true };
      const both = [entity.error, asset.error];
      const reason = both.find(({ code }) => code === "ambiguous-guid")?.code;
      return { ref, alive: false, ...(reason !== undefined && { reason }) };
    }));
  },

  summarize: (resolved) => ok({ resolved }),
});

interface Resolved {
  readonly ref: string;
  readonly alive: boolean;
  readonly [fact: string]: string | number | boolean;
}

function entityFacts({ id, guid, name }: Entity): Readonly<Record<string, string | number>> {
  return { id, guid, name };
}

/** `spatial_query`: entities by position. */
const spatialQuery: Tool = defineTool({
  name: "spatial_query",
  route: "/api/spatial-query",
  purpose: "Entities near a point, in a box or along a ray, by their world bounds",
  defaultShape: `the nearest ${LIST_LIMIT}; needs near=, min= and max=, or origin= and direction=`,
  parameters: z.object({
    near: numbers("x,y,z", { length: 3 }),
    radius: anyNumber("of near=; endless when absent", { min: 0 }),
    min: numbers("corner x,y,z of a box", { length: 3 }),
    max: numbers("other corner", { length: 3 }),
    origin: numbers("start x,y,z of a ray", { length: 3 }),
    direction: numbers("x,y,z", { length: 3 }),
    layer: choice(["3d", "2d"], "3d when absent"),
    limit: limit(`${LIST_LIMIT}`),
    after: after(),
  }),
  drillDown: {
    near: "x,y,z",
    radius: "of near=",
    min: "box",
    max: "box",
    origin: "ray",
    direction: "ray",
  },
  annotations: READ_ONLY,
  fills: () => "entities",

  async produce({ editor }, args, { signal }) {
    const measure = measureOf(args);
    if (!measure.ok) return measure;
    const { scene: { entities }, value: boxes } = await atOneRevision(
      editor,
      async () =>
        await editor.worldBounds?.({ signal }) ??
          pointsOf(await editor.worldTransforms({ signal })),
    );
    const { layer = "3d" } = args;
    const hits: { readonly entity: Entity; readonly distance: number }[] = [];
    const look = (entity: Entity) => {
      const box = boxes.get(entity.id);
      const distance = box === undefined || entity.layer !== layer ? null : measure.value(box);
      if (distance !== null) hits.push({ entity, distance });
    };
    await runCooperatively(eachOf(entities, look), { now, signal });
    return ok(hits.sort((a, b) => a.distance - b.distance));
  },

  summarize(hits, { limit = LIST_LIMIT, after }) {
    const { shown, cut } = pageOf(hits, { limit, after });
    return ok({
      count: hits.length,
      entities: shown.map(({ entity: { id, name }, distance }) => ({ id, name, distance })),
      ...cut,
    });
  },
});

/** Returns points in place of boxes, for an editor that knows positions only. */
function pointsOf(
  transforms: ReadonlyMap<number, { readonly position: Vec3 }>,
): ReadonlyMap<number, WorldBounds> {
  return new Map(
    [...transforms].map(([id, { position }]) => [id, { min: position, max: position }]),
  );
}

interface SpatialArguments {
  readonly near?: readonly number[] | undefined;
  readonly radius?: number | undefined;
  readonly min?: readonly number[] | undefined;
  readonly max?: readonly number[] | undefined;
  readonly origin?: readonly number[] | undefined;
  readonly direction?: readonly number[] | undefined;
}

/** Returns the distance of a box from the requested place, or `null` if it does not match. */
type Measure = (box: WorldBounds) => number | null;

function measureOf(args: SpatialArguments): Result<Measure, Problem> {
  const { radius = Infinity } = args;
  const [near, min, max] = [point(args.near), point(args.min), point(args.max)];
  const [origin, direction] = [point(args.origin), point(args.direction)];
  const forms: Measure[] = [];
  if (near !== null) {
    forms.push((box) => {
      const distance = distanceToBox(near, box);
      return distance <= radius ? distance : null;
    });
  }
  if (min !== null && max !== null) {
    const box = {
      min: [0, 1, 2].map((axis) => Math.min(min[axis] ?? 0, max[axis] ?? 0)),
      max: [0, 1, 2].map((axis) => Math.max(min[axis] ?? 0, max[axis] ?? 0)),
    };
    const [low, high] = [point(box.min), point(box.max)];
    if (low !== null && high !== null) {
      forms.push((other) => meetsBox(other, { min: low, max: high }) ? 0 : null);
    }
  }
  if (origin !== null && direction !== null && direction.some((one) => one !== 0)) {
    forms.push((box) => rayToBox({ origin, direction }, box));
  }
  const [form] = forms;
  if (form !== undefined && forms.length === 1) return ok(form);
  return refuse(
    400,
    forms.length === 0 ? "missing-argument" : "bad-argument",
    `Cannot call spatial_query: found ${
      forms.length === 0 ? "no" : "more than one"
    } complete question`,
    "near=[x,y,z] with radius=, or min= and max=, or origin= and direction= (not all 0)",
  );
}

function point(values: readonly number[] | undefined): Vec3 | null {
  const [x, y, z] = values ?? [];
  return x === undefined || y === undefined || z === undefined ? null : [x, y, z];
}

/** The tools that search for entities. */
export const ENTITY_QUERY_TOOLS: readonly Tool[] = [findReferences, resolveRefs, spatialQuery];
