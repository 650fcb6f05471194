import { compareCodeUnits } from "../../core/json.ts";
import { isGuid } from "../../core/guid.ts";
import { ASSET_TYPES } from "../files/asset-types.ts";
import type {
  ConsoleEntry,
  Editor,
  Entity,
  FieldSchema,
  Layer,
  SceneFinding,
  Vec3,
} from "../ports/mod.ts";
import type { Claims } from "./claims.ts";
import { type Clause, clause } from "./clause.ts";

const LAYERS: readonly Layer[] = ["3d", "2d", "ui"];
const LEVELS: readonly ConsoleEntry["level"][] = ["debug", "log", "info", "warn", "error"];
const SEVERITIES: readonly SceneFinding["severity"][] = ["error", "warning", "info"];
const CATEGORIES: readonly string[] = ["component", "tag", "resource"];

/** Every editor answers these. */
export const PRODUCER_CLAUSES: readonly Clause[] = [
  clause("identity() names the editor, its project, its folder and the open scene", [], named),
  clause("sceneState() gives each entity an id and a guid of its own", [], distinct),
  clause("sceneState() lists every parent before its children", [], parentsFirst),
  clause("sceneState() holds declared traits, and values that their fields take", [], declared),
  clause("reading changes nothing, and the same revision has the same values", [], readOnly),
  clause("worldTransforms() gives entities a place of finite numbers", [], places),
  clause("worldBounds() gives entities boxes", ["worldBounds"], boxes),
  clause("assets() is ordered by path, each with a path and a guid of its own", [], assets),
  clause("traits() is ordered by name, and each field takes its default", [], traits),
  clause("consoleEntries() lists lines in the order of their numbers", [], lines),
  clause("diagnose() lists the worst first, and only an error is not ok", [], findings),
  clause("an aborted producer is rejected with the reason of its signal, if at all", [], aborted),
];

async function named(editor: Editor, claims: Claims): Promise<void> {
  const identity = editor.identity();
  const { editor: product, project, root, scenePath, playing } = identity;
  for (const [name, text] of Object.entries({ editor: product, project, root, scenePath })) {
    claims.expect(typeof text === "string" && text !== "", `identity().${name}`, text, "a text");
  }
  claims.expect(!/^\/|\\/.test(scenePath), "identity().scenePath", scenePath, "a relative path");
  claims.same("identity() a second time", editor.identity(), identity);
  const state = await editor.sceneState();
  claims.same("sceneState().scenePath", state.scenePath, playing ?? scenePath);
  claims.same("sceneState().playing", state.playing === true, playing !== undefined);
}

async function distinct(editor: Editor, claims: Claims): Promise<void> {
  const { entities } = await editor.sceneState();
  for (const [index, { id, guid, layer }] of entities.entries()) {
    const where = `entities[${index}]`;
    claims.expect(Number.isSafeInteger(id) && id > 0, `${where}.id`, id, "a whole number over 0");
    claims.expect(isGuid(guid), `${where}.guid`, guid, "a dashed UUID in lower case");
    claims.expect(LAYERS.includes(layer), `${where}.layer`, layer, LAYERS.join(", "));
  }
  claims.unique("ids of entities", entities.map(({ id }) => id));
  claims.unique("guids of entities", entities.map(({ guid }) => guid));
}

async function parentsFirst(editor: Editor, claims: Claims): Promise<void> {
  const before = new Set<number | null>([null]);
  for (const { id, name, parentId } of (await editor.sceneState()).entities) {
    const where = `parentId of "${name}" (id ${id})`;
    claims.expect(before.has(parentId), where, parentId, "null, or the id of an entity before it");
    before.add(id);
  }
}

async function declared(editor: Editor, claims: Claims): Promise<void> {
  const schemas = new Map((await editor.traits()).map((schema) => [schema.name, schema]));
  for (const { id, traits } of (await editor.sceneState()).entities) {
    for (const [trait, fields] of Object.entries(traits)) {
      const schema = schemas.get(trait);
      claims.expect(schema !== undefined, `entity ${id}`, trait, "a trait of traits()");
      for (const [name, value] of Object.entries(fields)) {
        const field = schema?.fields[name];
        const where = `entity ${id}: ${trait}.${name}`;
        if (schema !== undefined && field === undefined) {
          claims.expect(false, where, value, "a field of its trait");
        } else if (field !== undefined) {
          claims.expect(takes(field, value), where, value, `a value of type ${field.type}`);
        }
      }
    }
  }
}

/** Whether a field of any editor may hold a value. How a colour is written is not the port's. */
function takes({ type, min = -Infinity, max = Infinity, options }: FieldSchema, value: unknown) {
  switch (type) {
    case "number":
    case "integer":
      return typeof value === "number" && Number.isFinite(value) && value >= min && value <= max &&
        (type === "number" || Number.isSafeInteger(value));
    case "boolean":
      return typeof value === "boolean";
    case "enum":
      return typeof value === "string" && (options ?? []).includes(value);
    case "string":
    case "color":
    case "asset":
    case "entity":
      return typeof value === "string";
  }
}

async function readOnly(editor: Editor, claims: Claims): Promise<void> {
  const [state, assets] = [await editor.sceneState(), await editor.assets()];
  const places = await editor.worldTransforms();
  claims.expect(Number.isSafeInteger(state.rev), "rev", state.rev, "a whole number");
  await editor.layoutBounds({ overlaps: true });
  await editor.worldBounds?.();
  await editor.traits();
  await editor.consoleEntries();
  await editor.diagnose();
  claims.same("sceneState() after reading", await editor.sceneState(), state);
  claims.same("assets() after reading", await editor.assets(), assets);
  claims.same("worldTransforms() after reading", await editor.worldTransforms(), places);
}

async function places(editor: Editor, claims: Claims): Promise<void> {
  const ids = await idsOf(editor);
  for (const [id, place] of await editor.worldTransforms()) {
    claims.expect(ids.has(id), "worldTransforms()", id, "the id of an entity");
    for (const [name, value] of Object.entries({ ...place })) {
      claims.expect(isPoint(value), `worldTransforms() of ${id}: ${name}`, value, "3 numbers");
    }
  }
}

async function boxes(
  editor: Editor & Required<Pick<Editor, "worldBounds">>,
  claims: Claims,
): Promise<void> {
  const ids = await idsOf(editor);
  for (const [id, { min, max }] of await editor.worldBounds()) {
    claims.expect(ids.has(id), "worldBounds()", id, "the id of an entity");
    const isComplete = isPoint(min) && isPoint(max) &&
      min.every((low, axis) => low <= (max[axis] ?? low));
    claims.expect(isComplete, `worldBounds() of ${id}`, `${min} to ${max}`, "min at most max");
  }
}

async function assets(editor: Editor, claims: Claims): Promise<void> {
  const all = await editor.assets();
  for (const { guid, path, type, size } of all) {
    claims.expect(isGuid(guid), `guid of ${path}`, guid, "a dashed UUID in lower case");
    claims.expect(!/^\/|\\/.test(path), "path of an asset", path, "one below the project, with /");
    claims.expect(ASSET_TYPES.includes(type), `type of ${path}`, type, "a type of asset");
    claims.expect(Number.isSafeInteger(size) && size >= 0, `size of ${path}`, size, "bytes");
  }
  const paths = all.map(({ path }) => path);
  claims.ordered("assets()", paths, (a, b) => compareCodeUnits(a, b) <= 0);
  claims.unique("paths of assets", paths);
  claims.unique("guids of assets", all.map(({ guid }) => guid));
}

async function traits(editor: Editor, claims: Claims): Promise<void> {
  const all = await editor.traits();
  const names = all.map(({ name }) => name);
  claims.ordered("traits()", names, (a, b) => compareCodeUnits(a, b) <= 0);
  claims.unique("names of traits", names);
  for (const { name, category, fields } of all) {
    claims.expect(CATEGORIES.includes(category), name, category, CATEGORIES.join(", "));
    for (const [member, field] of Object.entries(fields)) {
      const where = `default of ${name}.${member}`;
      claims.expect(takes(field, field.default), where, field.default, `a ${field.type}`);
    }
  }
}

async function lines(editor: Editor, claims: Claims): Promise<void> {
  const before = await editor.consoleEntries();
  claims.ordered("seq of lines", before.map(({ seq }) => seq), (a, b) => a < b);
  for (const { seq, level, text } of before) {
    claims.expect(LEVELS.includes(level), `level of line ${seq}`, level, LEVELS.join(", "));
    claims.expect(typeof text === "string", `text of line ${seq}`, text, "a text");
  }
  const after = new Map((await editor.consoleEntries()).map((line) => [line.seq, line]));
  for (const line of before.filter(({ seq }) => after.has(seq))) {
    claims.same(`line ${line.seq} a second time`, after.get(line.seq), line);
  }
}

async function findings(editor: Editor, claims: Claims): Promise<void> {
  const { ok, summary, findings } = await editor.diagnose();
  const ids = await idsOf(editor);
  claims.expect(typeof summary === "string" && summary !== "", "summary", summary, "a sentence");
  claims.same("ok", ok, !findings.some(({ severity }) => severity === "error"));
  const ranks = findings.map(({ severity }) => SEVERITIES.indexOf(severity));
  claims.ordered("severities", ranks, (a, b) => a <= b);
  for (const finding of findings) {
    const { code, severity, count, hint } = finding;
    claims.expect(SEVERITIES.includes(severity), code, severity, SEVERITIES.join(", "));
    claims.expect(count >= 1, `count of ${code}`, count, "at least 1");
    claims.expect(hint !== "", `hint of ${code}`, hint, "what to look at or to do");
    const stranger = finding.ids.find((id) => !ids.has(id));
    claims.expect(stranger === undefined, `ids of ${code}`, stranger, "ids of entities");
  }
}

async function aborted(editor: Editor, claims: Claims): Promise<void> {
  const reason = new Error("nobody waits for it");
  const signal = AbortSignal.abort(reason);
  const before = await editor.sceneState();
  const asked = {
    worldTransforms: editor.worldTransforms({ signal }),
    worldBounds: editor.worldBounds?.({ signal }),
    layoutBounds: editor.layoutBounds({ signal }),
    diagnose: editor.diagnose({ signal }),
  };
  for (const [name, answer] of Object.entries(asked)) {
    const thrown = await Promise.resolve(answer).then(() => reason, (why: unknown) => why);
    claims.expect(thrown === reason, `${name}()`, thrown, "the reason of the signal");
  }
  claims.same("sceneState() afterwards", await editor.sceneState(), before);
}

async function idsOf(editor: Editor): Promise<ReadonlySet<number>> {
  return new Set((await editor.sceneState()).entities.map(({ id }: Entity) => id));
}

function isPoint(value: unknown): value is Vec3 {
  return Array.isArray(value) && value.length === 3 && value.every((part) => Number.isFinite(part));
}
