import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Jobs } from "../../lib/core/jobs.ts";
import type { Files } from "../../lib/ports/files.ts";
import type { Host } from "../../lib/ports/host.ts";
import { type Builds, createBuilds } from "../../lib/project/building/builds.ts";
import { type BuildTarget, createToolchain, whichSync } from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { findNode, pathToNode, withoutScripts } from "../support/needs.ts";
import { eventsOf, patient } from "./publish-world.ts";

/** The Node that runs the steps of builds, in a home folder of their own. */
export const node = findNode();
export const PATH_TO_NODE: string = pathToNode(node);
export const needs = { skip: withoutScripts() || node.skip };

const TELLS_ENV = `
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("dist", { recursive: true });
writeFileSync(process.argv[2], JSON.stringify(process.env));
console.log("told", process.argv[2]);
`;

/** A project, and its builds. */
export interface World {
  readonly root: string;
  readonly jobs: Jobs;
  readonly builds: Builds;
  readonly toolchainDir: string;
  /** Builds to the end; the events, or the refusal of the start. */
  // deno-lint-ignore no-explicit-any
  build(target: BuildTarget): Promise<any>;
  /** The environment that a step saw. */
  env(name: string): Record<string, string>;
}

/** Differences of a world from the usual one. */
export interface WorldOptions {
  readonly host?: Partial<Host>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Makes a project with steps, on a machine with a toolchain folder of its own. */
export async function inWorld(
  work: (world: World) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const root = join(folder, "my gäme");
    const toolchainDir = join(folder, "tool chain ü");
    const native = await loadRuntime();
    const stat = native.syncStat;
    const environment: Record<string, string> = {
      ...native.host.environment(),
      HOME: join(folder, "home"),
      SVC_TOOLCHAIN_DIR: toolchainDir,
      SVC_TOKEN: "hush",
      // Bundled-only, so that other tools of this machine are not used.
      SVC_PACKAGED: "1",
      PATH: PATH_TO_NODE,
      SVC_NPM: whichSync("npm", { ...native.host, env: { PATH: PATH_TO_NODE }, stat }) ?? "",
      JAVA_HOME: join(folder, "somebody's jdk"),
      ANDROID_SDK_ROOT: join(folder, "somebody's sdk"),
      ...options.environment,
    };
    for (const name of ["ANDROID_HOME", "GEM_HOME"]) delete environment[name];
    const host: Host = {
      ...native.host,
      home: join(folder, "home"),
      env: (name) => environment[name],
      environment: () => environment,
      ...options.host,
    };
    const files = host.platform === "darwin" ? withMacPrograms(native.files, host) : native.files;
    const runtime = { ...native, files, host };
    const toolchain = createToolchain({ ...runtime });
    const jobs = new Jobs({ now: () => native.clock.monotonic() });
    writeTree(root, {
      "step.mjs": TELLS_ENV,
      "project.config.json": JSON.stringify({
        name: "Game",
        startScene: "a.scene.json",
        build: {
          web: { command: ["node", "step.mjs", "dist/web.json"], out: "dist" },
          android: { steps: [["node", "step.mjs", "1.json"], ["node", "step.mjs", "2.json"]] },
          ios: { steps: [["node", "step.mjs", "ios.json"]] },
        },
        ...options.config,
      }),
    });
    const builds = createBuilds({
      ...runtime,
      clock: patient(native.clock),
      syncStat: stat,
      toolchain,
      root,
      jobs,
    });
    await work({
      root,
      jobs,
      builds,
      toolchainDir,
      async build(target) {
        const started = await builds.build(target);
        return started.ok ? await eventsOf(jobs, started.value.id) : started.error;
      },
      env: (name) => JSON.parse(readFileSync(join(root, name), "utf8")),
    });
  });
}

/** The programs of this machine as those of a Mac begin: each is built for the Mac's processor. */
function withMacPrograms(files: Files, { arch }: Pick<Host, "arch">): Files {
  // Magic number, then the processor: x86-64 or arm64, the low byte first.
  const machO = new Uint8Array(64);
  machO.set([0xcf, 0xfa, 0xed, 0xfe, arch === "arm64" ? 0x0c : 0x07, 0, 0, 1]);
  return {
    ...files,
    async readRange(path, at, ...rest) {
      const bytes = await files.readRange(path, at, ...rest);
      const isProgram = at === 0 && bytes?.[0] === 0x7f && bytes[1] === 0x45;
      return isProgram ? machO : bytes;
    },
  };
}
