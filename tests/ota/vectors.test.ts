import assert from "node:assert/strict";
import { test } from "node:test";
import { replayBoot } from "../../scripts/replay/boot.ts";
import { replayCases } from "../../scripts/replay/cases.ts";
import { readScenarios } from "../../scripts/replay/scenario.ts";

for (const { id, kind, steps } of readScenarios("vectors")) {
  test(`vector ${id}`, async () => {
    const outcome = kind === "boot" ? replayBoot(steps) : await replayCases(kind, steps);
    assert.ok(outcome.ok, JSON.stringify({ expected: steps, found: outcome.steps }, null, 1));
  });
}

test("replayBoot() tells a wrong expectation from a right one", () => {
  const step = {
    op: "boot",
    bundle: "shell",
    exists: [],
    state: {},
    expect: { target: { kind: "embedded" } },
  };
  assert.equal(replayBoot([step]).ok, true);
  const wrong = { ...step, expect: { target: { kind: "version", version: "v1" } } };
  assert.equal(replayBoot([wrong]).ok, false);
});
