import { callTool } from "../../lib/agent/declaration/call.ts";
import type { Services, ToolchainProducer } from "../../lib/agent/declaration/services.ts";
import type { Tool } from "../../lib/agent/declaration/tool.ts";
import { Jobs } from "../../lib/core/jobs.ts";
import { refuse } from "../../lib/core/problem.ts";
import { ok } from "../../lib/core/result.ts";
import type { Installs } from "../../lib/project/jobs/installs.ts";
import type { Models } from "../../lib/project/models/models.ts";
import type { Captures } from "../../lib/project/captures/captures.ts";
import type { Builds } from "../../lib/project/building/builds.ts";
import type { Phone, PhoneState, TargetPreflight } from "../../lib/project/mod.ts";
import type { BuildTarget } from "../../lib/toolchain/mod.ts";
import type { Devices } from "../../lib/devices/mod.ts";
import type { Updates } from "../../lib/project/updates/updates.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { createTinyEditor } from "./tiny-editor.ts";

/** A tool's answer: 200 or the problem's status, and the parsed text. */
export interface Asked {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** The tool of that name. */
export function toolNamed(name: string): Tool {
  const tool = TOOLS.find((known) => known.name === name);
  if (tool === undefined) throw new Error(`No tool ${name}`);
  return tool;
}

/** Calls a tool of a tiny editor. */
export async function ask(
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  services: Services = createTinyServices(),
): Promise<Asked> {
  const answer = await callTool(toolNamed(name), args, services, { cap: 60_000 });
  return { status: answer.ok ? 200 : answer.status, body: JSON.parse(answer.text) };
}

/** Creates small services without a disk: everything that the tools work on. */
export function createTinyServices(): Services & { readonly jobs: Jobs } {
  return {
    editor: createTinyEditor(),
    toolchain: TINY_TOOLCHAIN,
    models: TINY_MODELS,
    installs: TINY_INSTALLS,
    builds: TINY_BUILDS,
    captures: TINY_CAPTURES,
    devices: TINY_DEVICES,
    phone: TINY_PHONE,
    updates: TINY_UPDATES,
    jobs: new Jobs({ now: () => 0 }),
    clock: { sleep: () => Promise.resolve() },
  };
}

const TINY_JOB = (kind: string, key: string) =>
  ({ id: `${kind}-1`, kind, key, state: "running", lastSeq: 0 }) as const;

/** Updates that only repeat their request. */
export const TINY_UPDATES: Updates = {
  publish: ({ bundle = "tiny", version }) =>
    Promise.resolve(
      version === undefined
        ? refuse(400, "missing-argument", "Cannot publish tiny: version is missing", "Give one")
        : ok({
          id: "publish-1",
          kind: "publish",
          key: `${bundle} ${version}`,
          state: "running",
          lastSeq: 0,
        }),
    ),
  plan: () => TINY_PLAN(),
  status: () =>
    Promise.resolve({
      enabled: false,
      app: "default",
      channel: "production",
      key: { name: "default", exists: false },
      problems: [],
    }),
  history: () =>
    Promise.resolve(ok({ bucket: "a tiny bucket", bundleName: "tiny", releases: [], older: 0 })),
  verify: () => Promise.resolve(ok(TINY_JOB("verify", "https://tiny.example"))),
  prune: () => Promise.resolve(ok(TINY_JOB("prune", "keep 3, 7 days"))),
  rollBack: ({ to }) => Promise.resolve(ok(TINY_JOB("rollback", `tiny to ${to}`))),
  keygen: ({ keyName = "default" }) =>
    Promise.resolve(ok({ ok: true, keyName, publicKey: "abc", path: "/keys/k.json", next: "" })),
};

/** Installations that only repeat their request. */
export const TINY_INSTALLS: Installs = {
  plan: (id) =>
    Promise.resolve(
      ok({ dryRun: true, id, folder: "/tiny", packages: [], bytes: 0, runs: [], licences: [] }),
    ),
  install: (id) =>
    Promise.resolve(
      ok({ id: "install-1", kind: "install", key: id, state: "running", lastSeq: 0 }),
    ),
  installAll: () => Promise.resolve(ok(TINY_JOB("install", "all that is missing"))),
  uninstall: () => Promise.resolve(ok({ package: "jdk", tools: [], removed: false, freed: 0 })),
};

const TINY_CAPTURE = {
  name: "0001-tiny.png",
  path: ".captures/0001-tiny.png",
  width: 8,
  height: 8,
};

const tinyFile = () => refuse(404, "no-such-capture", "There is no such capture", "Draw one");

const noDevice = () =>
  Promise.resolve(
    refuse(409, "no-device", "No device is connected, expected one", "Connect one"),
  );

/** No device is connected. */
export const TINY_DEVICES: Devices = {
  list: () => Promise.resolve({ devices: [], notes: [], waiting: 0, open: null }),
  beginPairing: () => undefined,
  endPairing: () => undefined,
  pair: noDevice,
  forget: noDevice,
  screenshot: noDevice,
  touch: noDevice,
  evaluate: noDevice,
  log: noDevice,
  bridge: {
    bounds: { maxMessageBytes: 8, idleMs: 8 },
    closedTo: () => Promise.resolve(null),
    refusal: () => null,
    accept: () => Promise.resolve(),
  },
};

/** A simulated phone without an app, which stays so. */
export const TINY_PHONE: Phone = {
  state: () => Promise.resolve(EMPTY_PHONE),
  act: () => Promise.resolve(ok(EMPTY_PHONE)),
  subscribe: () => () => undefined,
  frameFor: () => Promise.resolve(null),
};

const EMPTY_PHONE: PhoneState = {
  power: "empty",
  source: null,
  doing: null,
  phase: "idle",
  page: null,
  serves: null,
  boot: { kind: "none" },
  versions: {
    embedded: null,
    active: null,
    pending: null,
    previous: null,
    rejected: [],
    attempts: 0,
    confirmed: 0,
  },
  published: [],
  staging: null,
  check: null,
  switches: { network: true, diskFull: false, breakBoot: false },
  story: [],
};

/** Captures that draw nothing and report success. */
export const TINY_CAPTURES: Captures = {
  ready: () => Promise.resolve(ok(null)),
  draw: () => Promise.resolve(ok({ capture: TINY_CAPTURE, warnings: [] })),
  strip: () => Promise.resolve(ok({ capture: TINY_CAPTURE, warnings: [] })),
  compare: () =>
    Promise.resolve(ok({
      capture: TINY_CAPTURE,
      warnings: [],
      comparison: { width: 8, height: 8, different: 0, boxes: [] },
    })),
  checkPlace: () => Promise.resolve(ok(null)),
  keep: () => Promise.resolve(ok(TINY_CAPTURE)),
  start: () => refuse(409, "capture-running", "Nothing is drawn here", "Draw nothing"),
  page: {
    maxAnswerBytes: 8,
    html: () => Promise.resolve(tinyFile()),
    script: () => Promise.resolve(tinyFile()),
    admitWindow: () => "",
    attend: () => ok(AbortSignal.abort()),
    join: () => refuse(403, "wrong-ticket", "No page draws here", "Draw nothing"),
    isKey: () => false,
    next: () => Promise.resolve(null),
    beginAnswer: () => refuse(404, "no-such-task", "Nothing is drawn here", "Draw nothing"),
    content: () => Promise.resolve(tinyFile()),
    capture: () => Promise.resolve(tinyFile()),
    saved: () => Promise.resolve(tinyFile()),
  },
};

/** Builds that only repeat their request. */
export const TINY_BUILDS: Builds = {
  plan: (target) =>
    Promise.resolve(
      ok({
        dryRun: true,
        folder: "/tiny",
        runs: [],
        empties: "dist",
        preflight: tinyPreflight(target),
      }),
    ),
  preflight: (target) => Promise.resolve(tinyPreflight(target)),
  build: (target) =>
    Promise.resolve(
      ok({ id: "build-1", kind: "build", key: target, state: "running", lastSeq: 0 }),
    ),
};

function tinyPreflight(target: BuildTarget): TargetPreflight {
  return { target, ready: true, missing: [], bytes: 0, plan: [], unknown: [] };
}

const TINY_PLAN = () => Promise.resolve(ok({ dryRun: true, folder: "/tiny", runs: [] } as const));

/** Model tools that cannot convert any file. */
export const TINY_MODELS: Models = {
  plan: TINY_PLAN,
  optimize: () =>
    Promise.resolve(refuse(422, "model-tool-failed", "gltfpack exited 1", "Import it as it is")),
};

/** A toolchain without tools. */
export const TINY_TOOLCHAIN: ToolchainProducer = {
  status: () => Promise.resolve({ platform: "linux", tools: [], preflight: {} }),
  guide: (id) => ({ id, title: `The tool ${id}`, steps: ["Install it"] }),
  licences: (id) => Promise.resolve({ id, licences: [] }),
  preflight: (target) => Promise.resolve({ target, ready: true, missing: [], bytes: 0 }),
  allowSystem: (on) => Promise.resolve(ok({ allowSystemToolchain: on, saved: on })),
};
