import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type JobEvent, Jobs, type JobSnapshot } from "../../lib/core/jobs.ts";
import type { Problem } from "../../lib/core/problem.ts";
import type { Result } from "../../lib/core/result.ts";
import { generateKeyPair, type KeyPair } from "../../lib/ota-format/signing.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import type { ProjectPublishRequest } from "../../lib/project/updates/publish-settings.ts";
import { createToolchain } from "../../lib/toolchain/mod.ts";
import {
  createUpdates,
  type Updates,
  type UpdatesOptions,
} from "../../lib/project/updates/updates.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { writeTree } from "../support/folder.ts";

/** Where the world's players fetch from; no socket is behind it. */
export const BASE_URL = "https://cdn.example";

/** A project with a bucket, a key and a network over one folder. */
export interface PublishWorld {
  readonly folder: string;
  /** The project's folder. */
  readonly root: string;
  readonly bucket: string;
  readonly bucketUrl: string;
  readonly userData: string;
  readonly key: KeyPair;
  readonly runtime: Runtime;
  readonly jobs: Jobs;
  readonly updates: Updates;
  /** Writes the settings anew; what is given replaces whole members. */
  configure(over?: Readonly<Record<string, unknown>>): void;
  /** Writes a key into the user's folder. */
  writeKey(pair: KeyPair, name?: string): void;
  /** Publishes and waits for the end: the last event's data. */
  publish(wish?: ProjectPublishRequest): Promise<Ended>;
}

/** How a publish ended: with the refusal of the start, or with the job's own end. */
export interface Ended {
  readonly started: Result<JobSnapshot, Problem>;
  readonly events: readonly JobEvent[];
  // deno-lint-ignore no-explicit-any
  readonly data: any;
}

/** The build of these projects: copies `web/` to `dist/`. */
export const BUILD = `
import { cpSync, mkdirSync } from "node:fs";
mkdirSync("dist", { recursive: true });
cpSync("web", "dist", { recursive: true });
console.log("built");
`;

/** One for all worlds: every new one would ask npm for its version again. */
const TOOLCHAIN = createToolchain(await loadRuntime());

/** Opens a world in an empty folder. */
export async function openPublishWorld(
  folder: string,
  over: Partial<UpdatesOptions> = {},
): Promise<PublishWorld> {
  const [root, bucket, userData] = [
    join(folder, "game"),
    join(folder, "bucket"),
    join(folder, "me"),
  ];
  mkdirSync(join(root, ".git"), { recursive: true });
  const native = await loadRuntime();
  const environment = Object.fromEntries(
    Object.entries(native.host.environment()).filter(([name]) => !name.startsWith("SVC_")),
  );
  const serve = createStaticHandler(native.files, bucket);
  const runtime: Runtime = {
    ...native,
    host: {
      ...native.host,
      userData,
      env: (name) => environment[name],
      environment: () => ({
        ...environment,
        SVC_OTA_KEY: "secret",
        AWS_SECRET_ACCESS_KEY: "secret",
      }),
    },
    fetch: (url, init) => serve(new Request(url, init)),
  };
  const key = await generateKeyPair();
  const jobs = new Jobs({ now: () => native.clock.monotonic() });
  const updates = createUpdates({
    ...runtime,
    toolchain: TOOLCHAIN,
    root,
    jobs,
    ...over,
  });
  const bucketUrl = pathToFileURL(bucket).href;
  const world: PublishWorld = {
    folder,
    root,
    bucket,
    bucketUrl,
    userData,
    key,
    runtime,
    jobs,
    updates,
    configure: (more = {}) =>
      writeTree(root, {
        "project.config.json": JSON.stringify({
          name: "Game",
          startScene: "assets/main.scene.json",
          build: { web: { command: ["node", "build.mjs"], out: "dist" } },
          ota: {
            enabled: true,
            baseUrl: BASE_URL,
            publicKey: key.publicKey,
            bundleName: "shell",
            engineApi: 2,
          },
          publish: { bucket: bucketUrl },
          ...more,
        }),
      }),
    writeKey(pair, name = "default") {
      mkdirSync(join(userData, "ota-keys"), { recursive: true });
      const text = JSON.stringify({ schema: 1, ...pair });
      writeFileSync(join(userData, "ota-keys", `${name}.json`), text);
    },
    async publish(wish = {}) {
      const started = await updates.publish(wish);
      if (!started.ok) return { started, events: [], data: started.error };
      const events = await eventsOf(jobs, started.value.id);
      return { started, events, data: events.at(-1)?.data };
    },
  };
  world.configure();
  world.writeKey(key);
  writeProject(root);
  return world;
}

/** A clock with which a refusal is the answer itself, however busy the machine is. */
export function patient(clock: Clock): Clock {
  return { ...clock, sleep: (ms, signal) => clock.sleep(ms * 50, signal) };
}

/** All events of a job, up to its end. */
export async function eventsOf(jobs: Jobs, id: string): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  for await (const event of jobs.events(id)) events.push(event);
  return events;
}

/** The lines of a log. */
export function linesOf(events: readonly JobEvent[]): string[] {
  return events.flatMap((event) => event.event === "log" ? [event.data.line] : []);
}

function writeProject(root: string): void {
  writeTree(root, {
    "assets/main.scene.json": JSON.stringify({ schema: 1, name: "Main", entities: [] }),
    "build.mjs": BUILD,
    "web/index.html": "<h1>Game</h1>",
    "web/game.js": "console.log(1);",
  });
}
