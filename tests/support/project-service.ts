import { cpSync } from "node:fs";
import { join } from "node:path";
import { createHandler, type Handler } from "../../lib/http/mod.ts";
import type { Services } from "../../lib/agent/declaration/services.ts";
import { Jobs } from "../../lib/core/jobs.ts";
import type { EmbeddedEditor } from "../../lib/editor/embedded-editor.ts";
import { openProject } from "../../lib/project/open.ts";
import { createProjectSettings } from "../../lib/project/settings.ts";
import { createUploads } from "../../lib/project/uploads.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import {
  TINY_BUILDS,
  TINY_CAPTURES,
  TINY_DEVICES,
  TINY_INSTALLS,
  TINY_MODELS,
  TINY_PHONE,
  TINY_TOOLCHAIN,
  TINY_UPDATES,
} from "./ask.ts";
import { withFolder } from "./folder.ts";

/** A service on a project of its own, without a socket between. */
export interface ProjectService {
  readonly handler: Handler;
  readonly editor: EmbeddedEditor;
  readonly jobs: Jobs;
  /** The project's folder. */
  readonly root: string;
  /** Calls a tool by its name. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Called>;
  /** Sends any request. */
  send(path: string, init?: RequestInit): Promise<Called>;
}

/** An answer. */
export interface Called {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The parsed text, or the text itself if it is not JSON. */
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

const ORIGIN = "http://127.0.0.1:4747";

/** How a service differs from the usual one. */
export interface ProjectServiceOptions {
  /** The runtime's own when absent. */
  readonly clock?: Clock;
  /** Parts that replace the usual ones. */
  readonly services?: Partial<Pick<Services, "models" | "toolchain">>;
  /** Changes the project's files before it is opened. */
  readonly prepare?: (root: string) => void;
}

/** Runs `work` with a service on a copy of the sample project, which is removed afterwards. */
export async function withSampleService(
  work: (service: ProjectService) => Promise<void>,
  options: ProjectServiceOptions = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const root = join(folder, "project");
    cpSync("lib/editor/sample", root, { recursive: true });
    await withProjectService(root, work, options);
  });
}

/** Runs `work` with a service on the project in that folder. */
export async function withProjectService(
  root: string,
  work: (service: ProjectService) => Promise<void>,
  { clock, prepare, services = {} }: ProjectServiceOptions = {},
): Promise<void> {
  prepare?.(root);
  const own = await loadRuntime();
  const runtime = { ...own, clock: clock ?? own.clock };
  const opened = await openProject({ ...runtime, root });
  if (!opened.ok) throw new Error(opened.error.detail);
  const { editor, fresh } = opened.value;
  const jobs = new Jobs({ now: () => runtime.clock.monotonic() });
  const handler = createHandler({
    services: {
      editor,
      jobs,
      clock: runtime.clock,
      toolchain: TINY_TOOLCHAIN,
      builds: TINY_BUILDS,
      captures: TINY_CAPTURES,
      devices: TINY_DEVICES,
      phone: TINY_PHONE,
      installs: TINY_INSTALLS,
      models: TINY_MODELS,
      updates: TINY_UPDATES,
      project: createProjectSettings({ ...runtime, root, editor, fresh }),
      uploads: createUploads({ ...runtime, root }),
      ...services,
    },
    clock: runtime.clock,
    hostname: "127.0.0.1",
    version: "0.0.0-test",
  });
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("host", new URL(ORIGIN).host); // a socket would have brought it
    const response = await handler(new Request(`${ORIGIN}${path}`, { ...init, headers }));
    const text = await response.text();
    return { status: response.status, text, headers: response.headers, body: parsed(text) };
  };
  const call = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
    send(`/api/tools/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(args),
    });
  try {
    await work({ handler, editor, jobs, root, call, send });
  } finally {
    await closeEditor(editor);
  }
}

/** Closes an editor that keeps something running. */
async function closeEditor(editor: object): Promise<void> {
  const close: unknown = Reflect.get(editor, "close");
  if (typeof close === "function") await Reflect.apply(close, editor, []);
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
