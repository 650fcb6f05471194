import { eachOf, runAtOnce, type Work } from "../../core/cooperative.ts";
import { unboundSources } from "./binding-check.ts";
import { misplacedText, misplacedTraits, strayEntities } from "../scene/layer-check.ts";
import { activeCamera, Ancestry, listOverlaps } from "../../game/layout/mod.ts";
import type {
  Asset,
  ConsoleEntry,
  Diagnosis,
  Entity,
  Layout,
  LayoutEntry,
  SceneFinding,
  TraitFields,
} from "../ports/mod.ts";
import {
  isOn,
  type Reference,
  referenceFields,
  referencesOf,
  textIn,
  type TraitRegistry,
} from "../../game/traits/mod.ts";
import { pictureTrouble, type ScenePicture } from "../assets/scene-pictures.ts";
import { untouchedEntities } from "./touch-check.ts";

/** Maximum age of a recent console error, in milliseconds. */
const RECENT_MS = 5 * 60 * 1000;

/**
 * Everything from which a diagnosis is derived: complete producers, nothing summarized (RING-9).
 */
export interface DiagnoseInput {
  readonly entities: readonly Entity[];
  readonly traits: TraitRegistry;
  readonly assets: readonly Asset[];
  readonly layout: Layout;
  readonly console: readonly ConsoleEntry[];
  /** A sentence for each broken file of an asset that the entities use, by guid. */
  readonly broken?: ReadonlyMap<string, string>;
  /** Pictures that the scene shows, the heaviest first. */
  readonly pictures?: readonly ScenePicture[];
  /**
   * Whether the scene's file was changed or removed by others and the open scene could not follow.
   */
  readonly conflict?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Finds faults in a scene, the most severe first. */
export function diagnose(input: DiagnoseInput): Diagnosis {
  return runAtOnce(diagnoseWork(input));
}

/** Finds one kind of fault; slow checks yield to other work. */
type Check = (input: DiagnoseInput) => Work<readonly SceneFinding[]>;

const CHECKS: readonly Check[] = [
  references,
  quick(bindings),
  quick(scenes),
  quick(camera),
  transforms,
  quick(layers),
  quick(scripts),
  quick(touches),
  quick(consoleErrors),
  quick(pictures),
  quick(conflict),
  quick(places),
  buttons,
];

function quick(check: (input: DiagnoseInput) => readonly SceneFinding[]): Check {
  return function* (input) {
    yield;
    return check(input);
  };
}

/** {@linkcode diagnose} as work that others may interrupt. */
export function* diagnoseWork(input: DiagnoseInput): Work<Diagnosis> {
  const findings: SceneFinding[] = [];
  for (const check of CHECKS) {
    for (const found of yield* check(input)) findings.push(found);
  }
  const rank = { error: 0, warning: 1, info: 2 };
  findings.sort((a, b) => rank[a.severity] - rank[b.severity]);
  const count = (severity: SceneFinding["severity"]) =>
    findings.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  return {
    ok: errors === 0,
    summary: `Checked ${input.entities.length} entities: ${many(errors, "error")}, ` +
      `${many(warnings, "warning")}, ${many(count("info"), "note")}.`,
    findings,
  };
}

function many(count: number, what: string): string {
  return `${count === 0 ? "no" : count} ${what}${count === 1 ? "" : "s"}`;
}

/** Returns a finding about entities; empty if there are none. */
function finding(
  kind: Pick<SceneFinding, "code" | "severity">,
  ids: readonly number[],
  hint: string,
): readonly SceneFinding[] {
  const unique = [...new Set(ids)];
  return unique.length === 0 ? [] : [{ ...kind, count: unique.length, ids: unique, hint }];
}

function* references(input: DiagnoseInput): Work<readonly SceneFinding[]> {
  const types = new Map(input.assets.map(({ guid, type }) => [guid, type]));
  const entities = new Set(input.entities.map(({ guid }) => guid));
  const missingAssets: Reference[] = [];
  const wrongTypes: Reference[] = [];
  const broken: Reference[] = [];
  const missingEntities: Reference[] = [];
  const fields = referenceFields(input.traits.all());
  const look = (reference: Reference) => {
    if (reference.schema.type === "entity") {
      if (!entities.has(reference.guid)) missingEntities.push(reference);
      return;
    }
    const type = types.get(reference.guid);
    if (type === undefined) missingAssets.push(reference);
    else if (!(reference.schema.options ?? [type]).includes(type)) wrongTypes.push(reference);
    else if (input.broken?.has(reference.guid)) broken.push(reference);
  };
  yield* eachOf(input.entities, (entity) => {
    for (const reference of referencesOf([entity], fields)) look(reference);
  });
  return [
    ...finding(
      { code: "missing-asset", severity: "error" },
      missingAssets.map(({ entity }) => entity.id),
      `No asset has these guids: ${
        listed(missingAssets)
      }. Restore the asset or choose another one.`,
    ),
    ...finding(
      { code: "wrong-asset-type", severity: "error" },
      wrongTypes.map(({ entity }) => entity.id),
      `These assets are of a type that the field does not take: ${listed(wrongTypes)}.`,
    ),
    ...finding(
      { code: "broken-asset", severity: "error" },
      broken.map(({ entity }) => entity.id),
      `${sentences(broken.map(({ guid }) => input.broken?.get(guid) ?? ""))}. ` +
        "Correct the file, or write_asset its whole content.",
    ),
    ...finding(
      { code: "missing-entity", severity: "error" },
      missingEntities.map(({ entity }) => entity.id),
      `No entity has these guids: ${
        listed(missingEntities)
      }. Choose another entity or clear the field.`,
    ),
  ];
}

/** The first few of them, each once. */
function sentences(all: readonly string[]): string {
  const few = [...new Set(all)];
  return few.length > 5
    ? `${few.slice(0, 5).join(". ")}, and ${few.length - 5} more`
    : few.join(". ");
}

/** The first few of the references, in words. */
function listed(references: readonly Reference[]): string {
  const all = [...new Set(references.map(({ trait, name, guid }) => `${trait}.${name} ${guid}`))];
  const few = all.slice(0, 5);
  const more = all.length - few.length;
  return more === 0 ? few.join(", ") : `${few.join(", ")} and ${more} more`;
}

function bindings({ entities }: DiagnoseInput): readonly SceneFinding[] {
  const unbound = unboundSources(entities);
  const few = unbound.slice(0, 5).map(({ source }) => JSON.stringify(source.slice(0, 80)));
  const more = unbound.length > few.length ? ` and ${unbound.length - few.length} more` : "";
  return finding(
    { code: "unbound", severity: "warning" },
    unbound.map(({ id }) => id),
    `Binding.source names nothing that is here: ${few.join(", ")}${more}. ` +
      "list_traits name=Binding documents it.",
  );
}

function scenes({ entities, assets }: DiagnoseInput): readonly SceneFinding[] {
  const known = new Set(assets.filter(({ type }) => type === "scene").map(({ path }) => path));
  const lost = entities.flatMap(({ id, traits: { ScriptAction: action } }) => {
    const path = textIn(action, "effect") === "openScene" ? textIn(action, "text") : "";
    return path === "" || known.has(path) ? [] : [{ id, path }];
  });
  const few = [...new Set(lost.map(({ path }) => JSON.stringify(path.slice(0, 80))))].slice(0, 5);
  return finding(
    { code: "missing-scene", severity: "warning" },
    lost.map(({ id }) => id),
    `A ScriptAction opens a scene that is not there: ${
      few.join(", ")
    }. Its text is the path of a ` +
      "scene file, as list_scenes names them.",
  );
}

function camera({ entities }: DiagnoseInput): readonly SceneFinding[] {
  const drawn = entities.filter(({ layer, traits }) =>
    layer === "3d" && traits["Renderable3D"] !== undefined
  );
  if (activeCamera(entities, "3d") !== undefined) return [];
  return finding(
    { code: "no-camera", severity: "error" },
    drawn.map(({ id }) => id),
    "There are 3D entities but no active Camera on the 3D layer: add one or set Camera.active.",
  );
}

function* transforms({ entities }: DiagnoseInput): Work<readonly SceneFinding[]> {
  const broken: number[] = [];
  const flat: number[] = [];
  yield* eachOf(entities, ({ id, layer, traits }) => {
    const transform = traits["Transform"];
    if (transform === undefined) return;
    if (!Object.values(transform).every(Number.isFinite)) broken.push(id);
    if (hasZeroScale(transform, layer === "2d" ? ["sx", "sy"] : ["sx", "sy", "sz"])) flat.push(id);
  });
  return [
    ...finding(
      { code: "broken-transform", severity: "error" },
      broken,
      "A number of the Transform is NaN or infinite, so neither it nor its descendants have a position.",
    ),
    ...finding(
      { code: "zero-scale", severity: "warning" },
      flat,
      "A scale of 0 makes it, and all below, vanish: to hide something switch `visible` off.",
    ),
  ];
}

function scripts({ entities }: DiagnoseInput): readonly SceneFinding[] {
  return finding(
    { code: "script-not-run", severity: "info" },
    entities.filter(({ traits }) => traits["Script"] !== undefined).map(({ id }) => id),
    "A Script does not run in this editor: play shows what ScriptAction and the other traits do.",
  );
}

function layers({ entities }: DiagnoseInput): readonly SceneFinding[] {
  const misplaced = misplacedTraits(entities);
  const described = new Set(misplaced.map(misplacedText));
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  const stray = strayEntities(entities, (id) => byId.get(id));
  return [
    ...finding(
      { code: "wrong-layer", severity: "warning" },
      misplaced.map(({ id }) => id),
      `These do nothing where they are: ${
        [...described].join("; ")
      }. svc_scene_edit setLayer moves them.`,
    ),
    ...finding(
      { code: "parent-on-other-layer", severity: "warning" },
      stray.map(({ id }) => id),
      "The ancestor of these is positioned on another layer, so they do not move with it: " +
        "reparent them to the top, or below one of their layer.",
    ),
  ];
}

function touches({ entities }: DiagnoseInput): readonly SceneFinding[] {
  const { bodiless, sensors } = untouchedEntities(entities);
  return [
    ...finding(
      { code: "no-collider", severity: "warning" },
      bodiless,
      "These have a RigidBody or wait for @contact or @sensor, and no Collider: nothing moves or " +
        "touches them. add_trait trait=Collider.",
    ),
    ...finding(
      { code: "sensor-contact", severity: "warning" },
      sensors,
      "These wait for @contact with a Collider that is a sensor, which tells @sensor: set " +
        "ScriptAction.on to @sensor, or Collider.sensor off.",
    ),
  ];
}

function hasZeroScale(transform: TraitFields, axes: readonly string[]): boolean {
  return axes.some((axis) => transform[axis] === 0);
}

function consoleErrors({ console, now }: DiagnoseInput): readonly SceneFinding[] {
  const recent = console.filter(({ level, t }) => level === "error" && now - t <= RECENT_MS);
  const last = recent.at(-1);
  if (last === undefined) return [];
  return [{
    code: "console-errors",
    severity: "error",
    count: recent.length,
    ids: [],
    hint: `The last of them: ${last.text.slice(0, 200)}. Read the console from seq ${
      (recent[0]?.seq ?? 1) - 1
    } on.`,
  }];
}

function pictures(input: DiagnoseInput): readonly SceneFinding[] {
  const trouble = pictureTrouble(input.pictures ?? []);
  return trouble === null ? [] : [{
    code: "too-many-pixels",
    severity: trouble.isLeftOut ? "error" : "warning",
    count: 1,
    ids: [],
    hint: trouble.isLeftOut
      ? `Some of it is not drawn: ${trouble.text}. Make them smaller, or show fewer.`
      : `Phones may end the game: ${trouble.text}. Make them smaller, or show fewer.`,
  }];
}

function conflict(input: DiagnoseInput): readonly SceneFinding[] {
  return input.conflict !== true ? [] : [{
    code: "changed-on-disk",
    severity: "warning",
    count: 1,
    ids: [],
    hint: "Somebody else has changed or removed the open scene's file: save to another path and " +
      "compare, or open it again and lose your changes; save restores a removed file.",
  }];
}

function places({ entities, layout }: DiagnoseInput): readonly SceneFinding[] {
  const offScreen = new Set(layout.offScreen);
  // Entities that are hidden on purpose or outside the camera's view have no rectangle.
  const outside = layout.entries.filter(({ id, rect, zeroSize }) =>
    offScreen.has(id) && rect !== null && !zeroSize
  );
  const flat = unexcused(entities, layout.entries.filter(({ zeroSize }) => zeroSize));
  const outOfView = layout.entries.filter(({ id, layer, rect, zeroSize }) =>
    layer === "3d" && offScreen.has(id) && !(rect !== null && zeroSize)
  );
  return [
    ...finding(
      { code: "off-screen", severity: "warning" },
      outside.filter(({ layer }) => layer !== "3d").map(({ id }) => id),
      "These 2D and UI entities are drawn outside the viewport: move them or hide them.",
    ),
    ...finding(
      { code: "zero-size", severity: "warning" },
      flat,
      "These are drawn but have no width or no height: give them a size, a text or an image.",
    ),
    ...finding(
      { code: "out-of-view", severity: "info" },
      outOfView.map(({ id }) => id),
      "The active camera does not see these 3D entities; in a large world that is usual.",
    ),
  ];
}

/**
 * Returns the entities without an excuse: an empty Text, for example, may be filled by the game.
 */
function unexcused(
  entities: readonly Entity[],
  flat: readonly LayoutEntry[],
): readonly number[] {
  const bound = new Set(
    entities.filter(({ traits }) => traits["Binding"] !== undefined).map(({ id }) => id),
  );
  return flat.filter(({ id }) => !bound.has(id)).map(({ id }) => id);
}

function* buttons({ entities, layout }: DiagnoseInput): Work<readonly SceneFinding[]> {
  const pressable = new Set(
    entities
      .filter(({ traits }) => traits["Button"] !== undefined && isOn(traits["Button"], "enabled"))
      .map(({ id }) => id),
  );
  const rects = layout.entries.filter(({ id, onScreen }) => onScreen && pressable.has(id));
  const pairs = yield* listOverlaps(rects, yield* Ancestry.of(entities));
  return finding(
    { code: "overlapping-buttons", severity: "warning" },
    pairs.flatMap(({ a, b }) => [a, b]),
    `A press may reach the wrong one: ${
      pairs.slice(0, 5).map(({ a, b }) => `${a} and ${b}`).join(", ")
    }${pairs.length > 5 ? ` and ${pairs.length - 5} more pairs` : ""} overlap.`,
  );
}
