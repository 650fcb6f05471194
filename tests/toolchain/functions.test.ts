import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createToolchain } from "../../lib/toolchain/mod.ts";
import { adapter } from "../contract/adapter.ts";
import { withFolder } from "../support/folder.ts";

// Operations of the specification that are called by themselves (§4.4), beside the object that has all.

test("toolchainStatus() by itself answers what the toolchain's own does", async () => {
  const own = await createToolchain(adapter.createRuntime()).toolchainStatus();
  assert.deepEqual(await adapter.toolchainStatus(), own);
});

test("install() by itself answers what the toolchain's own does, in the folder that it is given", () =>
  withFolder(async (folder) => {
    const toolchain = createToolchain(adapter.createRuntime());
    const lines: string[] = [];
    const options = { toolchainDir: join(folder, "toolchain"), onLog: lines.push.bind(lines) };
    for (const toolchainDir of [options.toolchainDir, "toolchain"]) {
      const answer = await adapter.install("msdf-atlas-gen", { ...options, toolchainDir });
      assert.equal(answer.ok, false);
      assert.deepEqual(
        answer,
        await toolchain.install("msdf-atlas-gen", { ...options, toolchainDir }),
      );
    }
  }));
