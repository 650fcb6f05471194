import { encodeUtf8 } from "../../core/bytes.ts";
import { eachOf, runCooperatively, type Work } from "../../core/cooperative.ts";
import { withoutInvisible } from "../../core/invisible.ts";
import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { attempt } from "../../core/attempt.ts";
import { remapped } from "./edit-ops.ts";
import { refusalProblem } from "../ports/edit-refusal.ts";
import type { InnerEditing } from "./editing.ts";
import type { EditorCore } from "../session/editor-core.ts";
import { release } from "../files/file-changes.ts";
import { freshGuid } from "../../core/guid.ts";
import type {
  Asset,
  EditOp,
  EditOutcome,
  EditRefusal,
  EditRequest,
  Entity,
  EntityRef,
  MadePrefab,
  Prefabs,
  TraitFields,
} from "../ports/mod.ts";
import { prefabDifference } from "../scene/prefab-difference.ts";
import {
  flattened,
  MAX_PREFAB_BYTES,
  MAX_PREFAB_DEPTH,
  parsePrefab,
  type PrefabNode,
  serializePrefab,
} from "../scene/prefab-file.ts";
import {
  type Reference,
  type ReferenceFields,
  referenceFields,
  referencesOf,
} from "../ports/references.ts";
import { checkNewProjectPath } from "../files/project-path.ts";
import { locationFor, readProjectFile, unwritable } from "../files/project-files.ts";
import { PREFAB_INSTANCE } from "../traits/structure.ts";

const ENDING = ".prefab.json";
/** Instances that a warning names. */
const TOLD_INSTANCES = 10;
const SIDECAR = ".meta.json";

/** Keeps entities of the embedded editor as assets. */
export class EmbeddedPrefabs implements Prefabs {
  readonly #core: EditorCore;
  readonly #editing: Pick<InnerEditing, "edit" | "editNow">;
  readonly #newGuid: () => string;

  constructor(
    core: EditorCore,
    editing: Pick<InnerEditing, "edit" | "editNow">,
    newGuid: () => string = freshGuid,
  ) {
    this.#core = core;
    this.#editing = editing;
    this.#newGuid = newGuid;
  }

  async instantiate(
    request: Parameters<Prefabs["instantiate"]>[0],
  ): Promise<Result<EditOutcome, Problem>> {
    const { name, parentId, transform, signal, ...by } = request;
    const asset = this.#prefabNamed(request.prefab);
    if (!asset.ok) return asset;
    const root = await this.#read(asset.value, signal);
    if (!root.ok) return root;
    const placed: PrefabNode = {
      ...root.value,
      name: name ?? root.value.name,
      traits: {
        ...root.value.traits,
        ...(transform !== undefined &&
          { Transform: { ...root.value.traits["Transform"], ...transform } }),
        [PREFAB_INSTANCE]: { prefab: asset.value.guid },
      },
    };
    const { ops, warnings } = await this.#run(this.#creates(placed, parentId ?? null), signal);
    const label = `Instantiate "${asset.value.name}"`;
    return withWarnings(await this.#edit({ ...asked(by), ops, label }), warnings);
  }

  async create(
    { entity: ref, path, overwrite, signal, ...by }: Parameters<Prefabs["create"]>[0],
  ): Promise<Result<MadePrefab, Problem>> {
    const checked = checkPrefabPath(path);
    if (!checked.ok) return checked;
    const { changes, fileSteps } = this.#core;
    return await changes.take(async () => {
      const entity = this.#find(ref);
      if (!entity.ok) return entity;
      const known = this.#core.scan.assets.find((asset) => asset.path === path);
      const old = overwrite === true && known?.type === "prefab" ? known : null;
      const guid = old?.guid ?? this.#newGuid();
      const node = await this.#run(this.#nodeOf(entity.value), signal);
      if (!node.ok) return node;
      const { root, warnings } = node.value;
      if (old !== null) {
        warnings.push(...await this.#run(this.#leftBehind(old, entity.value), signal));
      }
      // What cannot be read is replaced as a whole.
      const was = old === null ? null : await this.#read(old, signal);
      const replaced = was?.ok === true
        ? await this.#run(prefabDifference(was.value, root), signal)
        : undefined;
      const bytes = await this.#run(serializePrefab(root, this.#core.traits), signal);
      const label = `Make prefab of "${entity.value.name}"`;
      const request = { ...asked(by), ops: this.#mark(entity.value, guid), label };
      // What the scene would refuse must leave no file behind.
      const trial = plain(this.#editing.editNow({ ...request, dryRun: true }));
      if (!trial.ok) return trial;
      const drafted = await fileSteps.draft(async (touch) => {
        const touched = await touch([path, `${path}${SIDECAR}`]);
        if (!touched.ok) return touched;
        return await (old === null ? this.#write(path, guid, bytes) : this.#replace(path, bytes));
      });
      if (!drafted.ok) return drafted;
      await this.#core.rescanFiles([path]);
      const { files } = drafted.value;
      // The warning of the trial was that the prefab is not there yet.
      const done = withWarnings(plain(this.#editing.editNow(request, files)), warnings);
      if (!done.ok) {
        // Another scene was opened, or a game began, while the file was written.
        const back = await fileSteps.swap(files, "undo");
        if (back.ok) release(back.value);
        return done;
      }
      this.#core.journals.noteEditor("prefab-create", by.source, { path, guid });
      const changed = done.value.changed + (old !== null && files.changes.length > 0 ? 1 : 0);
      return ok({ ...done.value, changed, guid, path, ...(replaced && { replaced }) });
    });
  }

  async detach(
    { entity: ref, ...by }: Parameters<Prefabs["detach"]>[0],
  ): Promise<Result<EditOutcome, Problem>> {
    const entity = this.#find(ref);
    if (!entity.ok) return entity;
    const { id, name, traits } = entity.value;
    if (traits[PREFAB_INSTANCE] === undefined) {
      const above = this.#core.document.lineOf(id).findLast((one) =>
        one.traits[PREFAB_INSTANCE] !== undefined
      );
      return refuse(
        422,
        "no-instance",
        `"${name}" is no instance of a prefab`,
        above === undefined
          ? `svc_get_scene_state trait=${PREFAB_INSTANCE} lists instances`
          : `It is a part of "${above.name}" (id ${above.id}), which is one`,
      );
    }
    const op: EditOp = { op: "removeTrait", id, trait: PREFAB_INSTANCE };
    return await this.#edit({ ...asked(by), ops: [op], label: `Detach "${name}"` });
  }

  async #edit(request: EditRequest): Promise<Result<EditOutcome, Problem>> {
    return plain(await this.#editing.edit(request));
  }

  #run<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    const { clock } = this.#core;
    return runCooperatively(work, { now: () => clock.monotonic(), signal });
  }

  #mark({ id, traits }: Entity, prefab: string): readonly EditOp[] {
    const op = traits[PREFAB_INSTANCE] === undefined ? "addTrait" : "set";
    return [{ op, id, trait: PREFAB_INSTANCE, fields: { prefab } }];
  }

  #find({ id, guid }: EntityRef): Result<Entity, Problem> {
    const { document } = this.#core;
    const entity = id === undefined ? document.byGuid(guid ?? "") : document.get(id);
    const named = id === undefined ? `guid ${guid}` : `id ${id}`;
    return entity !== undefined ? ok(entity) : refuse(
      404,
      "no-such-entity",
      `There is no entity with ${named} in the open scene`,
      "svc_get_scene_state lists ids",
    );
  }

  #prefabNamed(name: string): Result<Asset, Problem> {
    const asset = this.#core.scan.assets.find(({ path, guid }) => path === name || guid === name);
    if (asset?.type === "prefab") return ok(asset);
    const found = asset === undefined ? "no such asset" : `a ${asset.type}`;
    return refuse(
      asset === undefined ? 404 : 422,
      asset === undefined ? "no-such-asset" : "wrong-asset-type",
      `Cannot instantiate "${name.slice(0, 120)}": found ${found}, expected a prefab`,
      "list_assets type=prefab lists them",
    );
  }

  async #read(
    { path }: Asset,
    signal: AbortSignal | undefined,
  ): Promise<Result<PrefabNode, Problem>> {
    const { files, root } = this.#core;
    const bytes = await readProjectFile(files, root, { path, maxBytes: MAX_PREFAB_BYTES });
    if (!bytes.ok) return bytes;
    if (bytes.value === null) return err(unwritable(path, "it is no longer there"));
    const parsed = await this.#run(parsePrefab(path, bytes.value, this.#core), signal);
    if (parsed.ok) return parsed;
    const { message, next = "Correct the prefab's file" } = parsed.error;
    return refuse(422, "prefab-invalid", message, next);
  }

  /** The tree as `create` operations, the parents first, under fresh guids. */
  *#creates(
    root: PrefabNode,
    parentId: number | null,
  ): Work<{ readonly ops: readonly EditOp[]; readonly warnings: readonly string[] }> {
    const references = referenceFields(this.#core.traits.all());
    const flat = yield* flattened(root);
    const guids = new Map<string, string>();
    for (const { node } of flat) if (node.guid !== undefined) guids.set(node.guid, this.#newGuid());
    const warnings: string[] = [];
    const inside = new Set(guids.values());
    const ops: EditOp[] = [];
    yield* eachOf(flat, ({ node, parent }) => {
      const name = withoutInvisible(node.name).trim() || "Entity";
      const { layer } = node;
      const traits = remapped(node.traits, guids, references);
      const outside = this.#cleared({ name, traits }, { inside, references, warnings });
      const guid = node.guid === undefined ? this.#newGuid() : guids.get(node.guid);
      ops.push({
        op: "create",
        name,
        // The n-th create of a request makes -n.
        parentId: parent === null ? parentId : -1 - parent,
        layer,
        traits: outside,
        ...(guid !== undefined && { guid }),
      });
    });
    return { ops, warnings };
  }

  /** Traits without the references that lead nowhere in the scene. */
  #cleared(
    { name: entity, traits }: Pick<PrefabNode, "name" | "traits">,
    { inside, references, warnings }: {
      readonly inside: ReadonlySet<string>;
      readonly references: ReferenceFields;
      readonly warnings: string[];
    },
  ): Readonly<Record<string, TraitFields>> {
    const { document } = this.#core;
    const cleared: Record<string, TraitFields> = { ...traits };
    const stub = { id: 0, guid: "", name: entity, parentId: null, layer: "3d", traits } as const;
    for (const { trait, name, schema, guid } of referencesOf([stub], references)) {
      if (schema.type !== "entity" || inside.has(guid) || document.byGuid(guid)) continue;
      cleared[trait] = { ...cleared[trait], [name]: "" };
      warnings.push(
        `"${entity}" ${trait}.${name} named an entity that is not here; it is empty now`,
      );
    }
    return cleared;
  }

  /** An entity with all below it as a prefab holds it; references out of it are emptied. */
  *#nodeOf(
    top: Entity,
  ): Work<Result<{ readonly root: PrefabNode; readonly warnings: string[] }, Problem>> {
    const { document, traits: registry } = this.#core;
    const references = referenceFields(registry.all());
    const entities = document.withDescendants(top.id);
    const tooDeep = this.#tooDeep(top, entities);
    if (tooDeep !== null) return err(tooDeep);
    const inside = new Set(entities.map(({ guid }) => guid));
    const named = new Set<string>();
    const warnings: string[] = [];
    const emptied = new Map<number, Record<string, TraitFields>>();
    const note = ({ entity, trait, name, schema, guid }: Reference) => {
      if (schema.type !== "entity") return;
      if (inside.has(guid)) named.add(guid);
      else {
        const traits = emptied.get(entity.id) ?? { ...entity.traits };
        emptied.set(entity.id, { ...traits, [trait]: { ...traits[trait], [name]: "" } });
        warnings.push(
          `"${entity.name}" ${trait}.${name} names an entity outside; it is empty in the prefab`,
        );
      }
    };
    yield* eachOf(entities, (entity) => {
      for (const reference of referencesOf([entity], references)) note(reference);
    });
    const nodes = new Map<number, PrefabNode>();
    // The last first: what is below an entity is there before it.
    yield* eachOf(entities.toReversed(), ({ id, guid, name, layer, traits }) => {
      const { [PREFAB_INSTANCE]: instance, ...rest } = emptied.get(id) ?? traits;
      const keepsInstance = id !== top.id && instance !== undefined;
      nodes.set(id, {
        ...(named.has(guid) && { guid }),
        name,
        layer,
        traits: keepsInstance ? { ...rest, [PREFAB_INSTANCE]: instance } : rest,
        children: document.childrenOf(id)
          .map((child) => nodes.get(child))
          .filter((child) => child !== undefined),
      });
    });
    const root = nodes.get(top.id);
    if (root === undefined) throw new TypeError(`Cannot find entity ${top.id} among its own`);
    return ok({ root, warnings });
  }

  /** Why a tree is too deep for a file that nests as deep; `null` when it is not. */
  #tooDeep(top: Entity, parentsFirst: readonly Entity[]): Problem | null {
    const levels = new Map<number | null, number>();
    for (const { id, parentId, name } of parentsFirst) {
      const level = id === top.id ? 1 : (levels.get(parentId) ?? 0) + 1;
      levels.set(id, level);
      if (level <= MAX_PREFAB_DEPTH) continue;
      return problem(
        422,
        "prefab-too-deep",
        `Cannot make a prefab of "${top.name}": "${name}" (id ${id}) stands at level ${level} ` +
          `below it, expected at most ${MAX_PREFAB_DEPTH} levels`,
        "Make a prefab of a part of it, or reparent what stands too deep",
      );
    }
    return null;
  }

  /** Instances hold what they were made with: who changes a prefab hears how many are not changed. */
  *#leftBehind({ guid, path }: Asset, made: Entity): Work<readonly string[]> {
    const others: Entity[] = [];
    yield* eachOf(this.#core.document.entities(), (entity) => {
      const isInstance = entity.traits[PREFAB_INSTANCE]?.["prefab"] === guid;
      if (isInstance && entity.id !== made.id) others.push(entity);
    });
    if (others.length === 0) return [];
    const ids = others.slice(0, TOLD_INSTANCES).map(({ id }) => id).join(", ");
    return [
      `Other instances of "${path}" stay as they are (${others.length}): ids ${ids}` +
      (others.length > TOLD_INSTANCES ? " and more" : ""),
    ];
  }

  /** Writes anew what a prefab holds; its sidecar, if there is one, stays. */
  async #replace(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<Result<null, Problem>> {
    const { files, root: folder } = this.#core;
    const location = await locationFor(files, folder, path);
    if (!location.ok) return location;
    const written = await attempt(() => files.writeAtomic(location.value, bytes));
    return written.ok ? ok(null) : err(unwritable(path, written.error.message));
  }

  /** Writes the prefab and its sidecar: both, or neither. */
  async #write(
    path: string,
    guid: string,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<Result<null, Problem>> {
    const { files, root: folder } = this.#core;
    const location = await locationFor(files, folder, path);
    if (!location.ok) return location;
    const at = location.value;
    const prefab = await attempt(() => files.write(at, bytes, { createNew: true }));
    if (!prefab.ok) {
      return err(
        prefab.error.code === "exists"
          ? problem(
            409,
            "exists",
            `There is a file "${path}" already`,
            "Choose another path; overwrite=1 replaces a prefab",
          )
          : unwritable(path, prefab.error.message),
      );
    }
    const meta = encodeUtf8(`${JSON.stringify({ guid }, null, 2)}\n`);
    const sidecar = await attempt(() => files.writeAtomic(`${at}${SIDECAR}`, meta));
    if (sidecar.ok) return ok(null);
    await files.remove(at);
    return err(unwritable(`${path}${SIDECAR}`, sidecar.error.message));
  }
}

function checkPrefabPath(path: string): Result<string, Problem> {
  const otherwise = { code: "prefab-path", hint: `Give a path like assets/prefabs/coin${ENDING}` };
  const checked = checkNewProjectPath(path, otherwise);
  if (!checked.ok || (path.startsWith("assets/") && path.endsWith(ENDING))) return checked;
  return refuse(
    422,
    otherwise.code,
    `Cannot use "${path.slice(0, 120)}" for a prefab: expected a *${ENDING} below assets/`,
    otherwise.hint,
  );
}

/** What an edit takes over from the request that it is made for. */
function asked(
  { source, ifRev }: Pick<EditRequest, "source" | "ifRev">,
): Pick<EditRequest, "source" | "ifRev"> {
  return { source, ...(ifRev !== undefined && { ifRev }) };
}

/** An edit's outcome, or why there is none as one problem. */
function plain(
  done: Result<Result<EditOutcome, EditRefusal>, Problem>,
): Result<EditOutcome, Problem> {
  if (!done.ok) return done;
  return done.value.ok ? done.value : err(refusalProblem(done.value.error));
}

function withWarnings(
  done: Result<EditOutcome, Problem>,
  warnings: readonly string[],
): Result<EditOutcome, Problem> {
  return done.ok ? ok({ ...done.value, warnings: [...warnings, ...done.value.warnings] }) : done;
}
