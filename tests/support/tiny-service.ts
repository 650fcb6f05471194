import type { Instance } from "../../lib/agent/answer/identity.ts";
import type { Tool } from "../../lib/agent/declaration/tool.ts";
import type { Toolset } from "../../lib/agent/declaration/toolsets.ts";
import { type JobContext, Jobs } from "../../lib/core/jobs.ts";
import { ok } from "../../lib/core/result.ts";
import type { Builds } from "../../lib/project/building/builds.ts";
import type { ProjectContent } from "../../lib/project/content/mod.ts";
import type { EditorPage, Phone } from "../../lib/project/mod.ts";
import type { Updates } from "../../lib/project/updates/updates.ts";
import type { Editor } from "../../lib/editor/ports/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { createHandler, type Handler } from "../../lib/http/mod.ts";
import { TINY_BUILDS, TINY_INSTALLS, TINY_MODELS, TINY_TOOLCHAIN, TINY_UPDATES } from "./ask.ts";
import { createTinyEditor, type TinyEditor } from "./tiny-editor.ts";

/** The address that requests of these tests are for. */
export const ORIGIN = "http://127.0.0.1:4747";

/** A service in memory. */
export interface TinyService {
  readonly handler: Handler;
  readonly jobs: Jobs;
  readonly editor: TinyEditor;
  /** Ends the naps of idle streams. */
  readonly tick: () => void;
  /** Sends a request with a Host header; `text` is the body of the response. */
  send(path: string, init?: RequestInit): Promise<Sent>;
}

/** An answer. */
export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The setup of the service. */
export interface TinyServiceOptions {
  /** The tiny one when absent. */
  readonly editor?: Editor;
  readonly entities?: number;
  readonly project?: string;
  readonly hostname?: string;
  readonly token?: string | undefined;
  readonly tools?: readonly Tool[];
  readonly toolsets?: readonly Toolset[];
  readonly withheld?: readonly Tool[];
  readonly builds?: Builds;
  readonly updates?: Updates;
  readonly content?: ProjectContent;
  readonly page?: EditorPage;
  readonly phone?: Phone;
  readonly instance?: Instance;
  /** The clock; when absent, one whose naps end by `tick`. */
  readonly clock?: Pick<Clock, "sleep">;
}

/** Makes a service of a tiny editor. */
export function createTinyService(options: TinyServiceOptions = {}): TinyService {
  const editor = createTinyEditor(options);
  const { instance } = options;
  const jobs = new Jobs({ now: () => 0 });
  const naps = new Set<() => void>();
  const clock: Pick<Clock, "sleep"> = options.clock ?? {
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        naps.add(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  const handler = createHandler({
    services: {
      editor: options.editor ?? editor,
      toolchain: TINY_TOOLCHAIN,
      builds: options.builds ?? TINY_BUILDS,
      models: TINY_MODELS,
      installs: TINY_INSTALLS,
      content: options.content,
      phone: options.phone,
      updates: options.updates ?? TINY_UPDATES,
      jobs,
      clock,
      instance: instance && (() => instance),
    },
    clock,
    page: options.page,
    hostname: options.hostname ?? "127.0.0.1",
    token: options.token,
    tools: options.tools,
    toolsets: options.toolsets,
    withheld: options.withheld,
    version: "0.0.0-test",
  });
  return {
    handler,
    jobs,
    editor,
    tick() {
      for (const wake of naps) wake();
      naps.clear();
    },
    async send(path, init = {}) {
      const headers = new Headers({ host: "127.0.0.1:4747" });
      new Headers(init.headers).forEach((value, name) => headers.set(name, value));
      const response = await handler(new Request(`${ORIGIN}${path}`, { ...init, headers }));
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

/** A `POST` of JSON. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Starts a job that logs a line immediately and ends on demand. */
export function startJob(jobs: Jobs): { readonly id: string; end: () => void } {
  let end = () => {};
  const { id } = jobs.start("install", "java", (context: JobContext) => {
    context.log("begun");
    return new Promise((resolve) => {
      end = () => resolve(ok({ installed: "java" }));
      context.signal.addEventListener("abort", () => {
        resolve({ ok: false, error: { ...GONE } });
      });
    });
  });
  return { id, end: () => end() };
}

const GONE = {
  type: "urn:slipway:problem:gone",
  title: "Conflict",
  status: 409,
  detail: "Stopped",
  code: "gone",
  hint: "",
} as const;
