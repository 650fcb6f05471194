import { runCooperatively, type Work } from "../../core/cooperative.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
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
} from "../ports/mod.ts";
import { prefabDifference } from "../scene/prefab-difference.ts";
import {
  MAX_PREFAB_BYTES,
  parsePrefab,
  type PrefabNode,
  serializePrefab,
} from "../../game/scene/mod.ts";
import { readProjectFile, unwritable } from "../files/project-files.ts";
import { SIDECAR } from "../assets/assets.ts";
import { PREFAB_INSTANCE } from "../../game/traits/mod.ts";
import { checkPrefabPath, createPrefab, replacePrefab } from "./prefab-store.ts";
import { createOps, otherInstances, prefabOf } from "./prefab-tree.ts";

/** Keeps entities of the embedded editor as assets. */
export class EmbeddedPrefabs implements Prefabs {
  readonly #core: EditorCore;
  readonly #editing: Pick<InnerEditing, "edit" | "editNow">;

  constructor(core: EditorCore, editing: Pick<InnerEditing, "edit" | "editNow">) {
    this.#core = core;
    this.#editing = editing;
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
    const { ops, warnings } = await this.#run(
      createOps(this.#core, placed, parentId ?? null),
      signal,
    );
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
      const guid = old?.guid ?? freshGuid();
      const node = await this.#run(prefabOf(this.#core, entity.value), signal);
      if (!node.ok) return node;
      const { root, warnings } = node.value;
      if (old !== null) {
        warnings.push(...await this.#run(otherInstances(this.#core, old, entity.value), signal));
      }
      // An unreadable prefab is replaced entirely.
      const was = old === null ? null : await this.#read(old, signal);
      const replaced = was?.ok === true
        ? await this.#run(prefabDifference(was.value, root), signal)
        : undefined;
      const bytes = await this.#run(serializePrefab(root, this.#core.traits), signal);
      const label = `Make prefab of "${entity.value.name}"`;
      const request = { ...asked(by), ops: this.#mark(entity.value, guid), label };
      // A change that the scene would refuse must leave no file behind.
      const trial = plain(this.#editing.editNow({ ...request, dryRun: true }));
      if (!trial.ok) return trial;
      const drafted = await fileSteps.draft(async (touch) => {
        const touched = await touch([path, `${path}${SIDECAR}`]);
        if (!touched.ok) return touched;
        return old === null
          ? await createPrefab(this.#core, { path, guid, bytes })
          : await replacePrefab(this.#core, path, bytes);
      });
      if (!drafted.ok) return drafted;
      await this.#core.rescanFiles([path]);
      const { files } = drafted.value;
      // The warning of the trial was that the prefab is not there yet.
      const done = withWarnings(plain(this.#editing.editNow(request, files)), warnings);
      if (!done.ok) {
        // Another scene was opened, or a game started, while the file was written.
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
        `"${name}" is not an instance of a prefab`,
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
}

/** The members that an edit takes over from the request that it is made for. */
function asked(
  { source, ifRev }: Pick<EditRequest, "source" | "ifRev">,
): Pick<EditRequest, "source" | "ifRev"> {
  return { source, ...(ifRev !== undefined && { ifRev }) };
}

/** Flattens an edit's outcome: its refusal becomes a problem. */
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
