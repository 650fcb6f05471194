import {
  type EditorPart,
  editorPart,
  type JobRegistry,
  servicePart,
  type Services,
  withProject,
} from "../agent/mod.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Sequenced } from "../core/ring.ts";
import type { Editor } from "../editor/ports/mod.ts";

// Data for panels: each producer of the editor, and the jobs, complete. Agents get the same data through
// the tools, which summarise and cap it (BUDGET-1).

type Query = Readonly<Record<string, string>>;
type WholeServices = Services & { readonly jobs: JobRegistry };

/** A producer, and the conversion of its answer to an object of lists, maps and small members. */
export interface WholeProducer {
  /** Names of its query parameters. */
  readonly query: readonly string[];
  produce(
    services: WholeServices,
    query: Query,
    signal: AbortSignal,
  ): Promise<Result<object, Problem>>;
}

/** Every producer, by its name in the address. */
export const WHOLE_PRODUCERS: Readonly<Record<string, WholeProducer>> = {
  scene: withoutQuery(({ editor }) => editor.sceneState()),
  transforms: withoutQuery(async ({ editor }, signal) => ({
    transforms: await editor.worldTransforms({ signal }),
  })),
  bounds: {
    query: [],
    async produce({ editor }, _query, signal) {
      const bounds = await editor.worldBounds?.({ signal });
      return bounds === undefined ? noBounds() : ok({ bounds });
    },
  },
  layout: withoutQuery(({ editor }, signal) => editor.layoutBounds({ signal })),
  handles: part("play", async (play) => ({ handles: await play.handles() })),
  assets: withoutQuery(async ({ editor }) => ({ assets: await editor.assets() })),
  traits: withoutQuery(async ({ editor }) => ({ traits: await editor.traits() })),
  console: since(withoutQuery(async ({ editor }) => ({ entries: await editor.consoleEntries() }))),
  journal: since(part("journals", (journals) => ({ events: journals.game() }))),
  "editor-journal": since(part("journals", (journals) => ({ events: journals.editor() }))),
  "timeline-journal": since(part("journals", (journals) => ({ events: journals.timeline() }))),
  history: part("editing", (editing) => ({ ...editing.history(), unsaved: editing.unsaved })),
  view: part("view", (view) => view.state()),
  play: part("play", (play) => play.state()),
  round: {
    query: [],
    produce(services) {
      const play = editorPart(services, "play");
      if (!play.ok) return Promise.resolve(play);
      return Promise.resolve(play.value.round?.() ?? noRound());
    },
  },
  diagnose: withoutQuery(({ editor }, signal) => editor.diagnose({ signal })),
  scenes: part("editing", async (editing) => ({ scenes: await editing.scenes() })),
  asset: ofAsset((authoring, asset) => authoring.read(asset)),
  "asset-uses": ofAsset(async (authoring, asset) => {
    const uses = await authoring.uses(asset);
    return uses.ok ? ok({ uses: uses.value }) : uses;
  }),
  "asset-schemas": part("authoring", (authoring) => ({ schemas: authoring.schemas() })),
  pose: {
    query: ["entity", "clip", "time"],
    async produce(services, { entity, clip, time }) {
      const poses = editorPart(services, "poses");
      if (!poses.ok) return poses;
      const at = Number(time ?? "0");
      if (!/^\d{1,10}$/.test(entity ?? "") || !Number.isFinite(at)) return badPose();
      const request = { entity: Number(entity), time: at, ...(clip !== undefined && { clip }) };
      return await poses.value.at(request);
    },
  },
  watches: part("watches", (watches) => ({ watches: watches.list() })),
  watch: {
    query: ["id"],
    produce(services, { id }) {
      const watches = editorPart(services, "watches");
      if (!watches.ok) return Promise.resolve(watches);
      return Promise.resolve(id === undefined ? noId() : watches.value.read(id));
    },
  },
  toolchain: {
    query: [],
    async produce(services, _query, signal) {
      const toolchain = servicePart(services, "toolchain");
      if (!toolchain.ok) return toolchain;
      return ok(await withProject(await toolchain.value.status(signal), services, signal));
    },
  },
  jobs: withoutQuery(({ jobs }) => {
    const all = jobs.overview?.() ?? jobs.list();
    return { jobs: all.map((job) => ({ ...job, name: `${job.kind} ${job.key}` })) };
  }),
};

function withoutQuery(
  produce: (services: WholeServices, signal: AbortSignal) => Promise<object> | object,
): WholeProducer {
  return {
    query: [],
    produce: async (services, _query, signal) => ok(await produce(services, signal)),
  };
}

/** Creates a producer for one asset, which the query names. */
function ofAsset(
  produce: (
    authoring: NonNullable<Editor["authoring"]>,
    asset: string,
  ) => Promise<Result<object, Problem>>,
): WholeProducer {
  return {
    query: ["asset"],
    async produce(services, { asset }) {
      const authoring = editorPart(services, "authoring");
      if (!authoring.ok) return authoring;
      return asset === undefined ? noAsset() : await produce(authoring.value, asset);
    },
  };
}

/** Creates a producer for a part that an editor may lack. */
function part<Name extends EditorPart>(
  name: Name,
  produce: (part: NonNullable<Editor[Name]>) => Promise<object> | object,
): WholeProducer {
  return {
    query: [],
    async produce(services) {
      const found = editorPart(services, name);
      return found.ok ? ok(await produce(found.value)) : found;
    },
  };
}

/** Creates a producer for a ring: all of it, or the entries after a number. */
function since(ring: WholeProducer): WholeProducer {
  return {
    query: ["since"],
    async produce(services, query, signal) {
      const { since = "0" } = query;
      if (!/^\d{1,15}$/.test(since)) return badSince(since);
      const produced = await ring.produce(services, query, signal);
      if (!produced.ok) return produced;
      return ok(Object.fromEntries(
        Object.entries(produced.value).map(([name, entries]: [string, Sequenced<object>[]]) => [
          name,
          entries.filter(({ seq }) => seq > Number(since)),
        ]),
      ));
    },
  };
}

function noBounds(): Result<never, Problem> {
  const detail = "This editor has no bounds that can be reached from here";
  return refuse(503, "no-bounds", detail, "Use the editor itself");
}

function noRound(): Result<never, Problem> {
  const detail = "No game of this editor can be followed from here";
  return refuse(503, "no-round", detail, "Use the editor itself");
}

function noId(): Result<never, Problem> {
  const detail = "Cannot read a watch: id is missing";
  return refuse(400, "missing-argument", detail, "GET /api/whole/watches lists ids");
}

function noAsset(): Result<never, Problem> {
  const detail = "Cannot read an asset: asset is missing";
  return refuse(400, "missing-argument", detail, "GET /api/whole/assets lists paths and guids");
}

function badPose(): Result<never, Problem> {
  const detail = "Cannot show a moment: expected entity, its id, and time, in seconds";
  return refuse(400, "bad-argument", detail, "GET /api/whole/pose?entity=1&time=0.5");
}

function badSince(found: string): Result<never, Problem> {
  const detail = `Found since ${JSON.stringify(found.slice(0, 80))}, expected a number of an entry`;
  return refuse(400, "bad-argument", detail, "Leave it out for all entries that are kept");
}
