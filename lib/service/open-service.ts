import type { Instance, Offer, Services } from "../agent/mod.ts";
import { Jobs } from "../core/jobs.ts";
import type { JsonObject } from "../core/json.ts";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { Once } from "../core/once.ts";
import type { Editor, EmbeddedEditor, TraitSchema } from "../editor/mod.ts";
import { createDevices } from "../devices/mod.ts";
import { type Access, createHandler, type Handler } from "../http/mod.ts";
import type { Files } from "../ports/files.ts";
import type { Runtime } from "../ports/runtime.ts";
import {
  createBuilds,
  createCaptures,
  createContent,
  createEditorPage,
  createInstalls,
  createModels,
  createPhone,
  createProjectSettings,
  createUpdates,
  createUploads,
  isModelFile,
  neededTools,
  openModelProject,
  openProject,
  readProjectConfig,
} from "../project/mod.ts";
import { openToolchain, type Toolchain } from "../toolchain/mod.ts";
import { createAgentToolchain } from "./agent-toolchain.ts";

/** The parts of every service. */
export interface ServiceSettings extends Partial<Access>, Partial<Offer> {
  /** The adapter's: `createRuntime()`. */
  readonly runtime: Runtime;
  /** The program's version, as MCP and OpenAPI show it. */
  readonly version: string;
}

/** A service of the embedded editor. */
export interface ProjectServiceOptions extends ServiceSettings {
  /** The project's folder, or the `.glb` or `.gltf` that is opened as a project of its own; absolute. */
  readonly project: string;
  /** Traits of the game, in addition to the built-in ones. */
  readonly traits?: readonly TraitSchema[];
}

/** A service of an editor of one's own. */
export interface EditorServiceOptions extends ServiceSettings {
  /** Stays the caller's: it is not closed with the service. */
  readonly editor: Editor;
  /**
   * The folder that holds `project.config.json`, absolute. When absent the tools that read or build a
   * project on a disk answer 503.
   */
  readonly project?: string;
}

/** The parts of a service: an editor of one's own, or a project for the embedded one. */
export type ServiceOptions = ProjectServiceOptions | EditorServiceOptions;

/** A service that runs. */
export interface Service {
  /** Answers a request; the function that a server is given. Never throws. */
  readonly handler: Handler;
  /** The services that the tools work on, for MCP over other transports than HTTP. */
  readonly services: Services;
  /** Installations, builds and publications, while they run and some minutes longer. */
  readonly jobs: Jobs;
  /** The project's folder; absent for an editor of one's own without one. */
  readonly root?: string | undefined;
  /** Sets the port that serves it: the banner of every later answer names the port. */
  servedAt(port: number): void;
  /**
   * Sets how to serve the page on demand: over MCP on stdio, a page draws the captures.
   *
   * @param serve Returns the port on this machine's loopback; called at the first capture, and
   * again only after a failure.
   */
  servedOnDemand(serve: () => Promise<Result<number, Problem>>): void;
  /**
   * Cancels the jobs and waits for them, then ends a running game; removes the folder that was made
   * for a model.
   */
  close(): Promise<void>;
}

/**
 * Composes a service: editor, toolchain, project and jobs, behind one function from `Request` to
 * `Response`.
 *
 * @returns Why the project or model cannot be opened, or 422 `toolchain-dir`; then nothing is left open.
 *
 * @example A project, answered in this process.
 * ```ts
 * import { openService } from "slipway";
 * import { createRuntime } from "slipway/node";
 *
 * export async function tools(project: string): Promise<string> {
 *   const service = await openService({ runtime: createRuntime(), project, version: "1.0" });
 *   if (!service.ok) return service.error.detail;
 *   const answer = await service.value.handler(new Request("http://127.0.0.1/api/tools"));
 *   await service.value.close();
 *   return await answer.text();
 * }
 * ```
 */
export async function openService(options: ServiceOptions): Promise<Result<Service, Problem>> {
  const { runtime, version, hostname = "127.0.0.1", token } = options;
  const opened = await openSubject(options);
  if (!opened.ok) return opened;
  const { root } = opened.value;
  const toolchain = openToolchain({ ...runtime, ...(root !== undefined && { project: root }) });
  if (!toolchain.ok) {
    await opened.value.close();
    return toolchain;
  }
  const jobs = new Jobs({
    now: () => runtime.clock.monotonic(),
    time: () => runtime.clock.now(),
  });
  let instance: Instance = { id: crypto.randomUUID().slice(0, 8), pid: runtime.host.pid };
  const content = root === undefined ? undefined : createContent(runtime.files, root);
  const captures = root === undefined || content === undefined
    ? undefined
    : createCaptures({ ...runtime, jobs, root, content });
  const devices = createDevices({
    ...runtime,
    findAdb: async () => (await toolchain.value.detectAdb()).path ?? null,
    bridgeAddress: async () => root === undefined ? null : await bridgeOf(runtime.files, root),
  });
  const phone = root === undefined ? undefined : createPhone({ ...runtime, root });
  const services: Services & { readonly jobs: Jobs } = {
    ...partsOf(opened.value, { runtime, toolchain: toolchain.value, jobs }),
    captures,
    content,
    devices,
    phone,
    jobs,
    clock: runtime.clock,
    instance: () => instance,
  };
  const { tools, toolsets, withheld } = options;
  return ok({
    handler: createHandler({
      services,
      clock: runtime.clock,
      page: createEditorPage(runtime),
      hostname,
      token,
      version,
      tools,
      toolsets,
      withheld,
    }),
    services,
    jobs,
    root,
    servedAt(port) {
      instance = { ...instance, port };
      captures?.servedAt(() => Promise.resolve(ok(originAt(hostname, port))));
    },
    servedOnDemand(serve) {
      const served = new Once(serve, ({ ok }) => ok);
      captures?.servedAt(async () => {
        const port = await served.get();
        return port.ok ? ok(originAt(hostname, port.value)) : port;
      });
    },
    async close() {
      await captures?.close();
      await devices.close();
      await phone?.close();
      await jobs.cancelAll();
      await services.uploads?.close();
      await opened.value.close();
    },
  });
}

/** Reads `devices.bridge` of a project's settings; `null` also if these cannot be read. */
async function bridgeOf(files: Files, root: string): Promise<string | null> {
  const config = await readProjectConfig(files, root);
  return config.ok ? config.value.devices?.bridge ?? null : null;
}

/** Returns the origin at which a page on this machine reaches the service. */
function originAt(hostname: string, port: number): string {
  const host = ["0.0.0.0", "::", "[::]", ""].includes(hostname) ? "127.0.0.1" : hostname;
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

/** The edited project. */
interface Subject {
  readonly editor: Editor;
  readonly root?: string | undefined;
  /** The editor, if changes of settings become undo steps. */
  readonly embedded?: EmbeddedEditor;
  /** The settings of a project that has no file yet. */
  readonly fresh?: JsonObject | undefined;
  close(): Promise<void>;
}

async function openSubject(options: ServiceOptions): Promise<Result<Subject, Problem>> {
  if ("editor" in options) {
    const { editor, project: root } = options;
    return ok({ editor, root, close: () => Promise.resolve() });
  }
  const { runtime, project, traits } = options;
  const { files, clock } = runtime;
  const parts = { files, clock, ...(traits !== undefined && { traits }) };
  if (isModelFile(project)) {
    const opened = await openModelProject({ ...parts, file: project });
    if (!opened.ok) return opened;
    const { editor, root } = opened.value;
    const close = async () => {
      await editor.close();
      await files.remove(root);
    };
    return ok({ editor, embedded: editor, root, close });
  }
  const opened = await openProject({ ...parts, root: project });
  if (!opened.ok) return opened;
  const { editor, fresh } = opened.value;
  return ok({ editor, embedded: editor, root: project, fresh, close: () => editor.close() });
}

/** Creates the tools' parts; those of a project on disk only if there is one. */
function partsOf(
  { editor, root, embedded, fresh }: Subject,
  { runtime, toolchain, jobs }: {
    readonly runtime: Runtime;
    readonly toolchain: Toolchain;
    readonly jobs: Jobs;
  },
): Services {
  const needed = async () => {
    if (root === undefined) return {};
    const config = await readProjectConfig(runtime.files, root);
    return config.ok ? await neededTools(runtime, root, config.value) : {};
  };
  const ofMachine = {
    editor,
    installs: createInstalls({ toolchain, jobs, clock: runtime.clock, needed }),
    toolchain: createAgentToolchain(toolchain, needed),
  };
  if (root === undefined) return ofMachine;
  const parts = { ...runtime, toolchain, root, jobs };
  return {
    ...ofMachine,
    project: createProjectSettings({
      files: runtime.files,
      root,
      fresh,
      ...(embedded !== undefined && { editor: embedded }),
    }),
    models: createModels(parts),
    builds: createBuilds(parts),
    updates: createUpdates(parts),
    uploads: createUploads(parts),
  };
}
