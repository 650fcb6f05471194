import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Jobs } from "../../lib/core/jobs.ts";
import { type Builds, createBuilds } from "../../lib/project/building/builds.ts";
import { createToolchain } from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { withResolvers } from "../support/with-resolvers.ts";

// The page asks for the status and for preflights at the same time, and each would look at the
// project and at every tool again.

interface World {
  readonly builds: Builds;
  /** The signals of the looks for tools that began. */
  readonly looks: (AbortSignal | undefined)[];
  /** Lets all looks for tools end. */
  readonly end: () => void;
  readonly write: (name: string) => void;
  /** Has the toolchain say that tools were installed. */
  readonly install: () => void;
}

async function withBuilds(work: (world: World) => Promise<void>): Promise<void> {
  await withFolder(async (root) => {
    const write = (name: string) =>
      writeTree(root, {
        "project.config.json": JSON.stringify({
          name,
          startScene: "a.scene.json",
          build: { web: { command: ["node", "-v"], out: "dist" } },
        }),
      });
    write("Game");
    const runtime = await loadRuntime();
    const { promise: may, resolve: end } = withResolvers();
    const looks: World["looks"] = [];
    let changes = 0;
    const toolchain = createToolchain(runtime);
    const builds = createBuilds({
      ...runtime,
      root,
      jobs: new Jobs({ now: () => runtime.clock.monotonic() }),
      host: { ...runtime.host, userData: join(root, "data") },
      toolchain: {
        ...toolchain,
        changes: () => changes,
        async preflight(target, options) {
          looks.push(options?.signal);
          await may;
          options?.signal?.throwIfAborted();
          return { target, ready: true, missing: [], bytes: 0 };
        },
      },
    });
    await work({ builds, looks, end, write, install: () => changes++ });
  });
}

test("Builds.preflight() looks once for all who ask at the same time, and again later (BUILD-14)", () =>
  withBuilds(async ({ builds, looks, end }) => {
    const asked = Array.from({ length: 5 }, () => builds.preflight("web"));
    await until("a look for tools", () => looks.length > 0);
    end();
    const answers = await Promise.all(asked);
    for (const answer of answers) assert.equal(answer, answers[0]);
    assert.equal(looks.length, 1);
    await builds.preflight("web");
    assert.equal(looks.length, 2);
  }));

const CHANGES: Readonly<Record<string, (world: World) => void>> = {
  "the plan of earlier settings": ({ write }) => write("Renamed"),
  "the tools of before an installation": ({ install }) => install(),
};
for (const [what, change] of Object.entries(CHANGES)) {
  test(`Builds.preflight() never answers with ${what} (BUILD-14)`, () =>
    withBuilds(async (world) => {
      const { builds, looks, end } = world;
      const before = builds.preflight("web");
      await until("a look for tools", () => looks.length > 0);
      change(world);
      const after = builds.preflight("web");
      await until("another look for tools", () => looks.length > 1);
      end();
      assert.notEqual(await before, await after);
    }));
}

test("Builds.preflight() ends with the last who waits for it (BUILD-14)", () =>
  withBuilds(async ({ builds, looks, end }) => {
    const [one, other] = [new AbortController(), new AbortController()];
    const asked = [one, other].map(({ signal }) => builds.preflight("web", signal));
    const left = asked.map((answer) => assert.rejects(answer, /left/));
    await until("a look for tools", () => looks.length > 0);
    one.abort(new Error("left"));
    await left[0];
    assert.equal(looks[0]?.aborted, false);
    other.abort(new Error("left"));
    await left[1];
    assert.equal(looks[0]?.aborted, true);
    end();
    assert.equal((await builds.preflight("web")).target, "web");
    assert.equal(looks.length, 2);
  }));
