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

test("replayBoot() takes no state and an empty state for two things", () => {
  const confirm = { op: "confirm", bundle: "shell", state: null };
  assert.equal(replayBoot([{ ...confirm, expect: { state: null } }]).ok, true);
  assert.equal(replayBoot([{ ...confirm, expect: { state: {} } }]).ok, false);
});

test("replayBoot() takes booted as a version or as a target, and a step without expect", () => {
  const state = { pending: { shell: "v13" }, bootAttempts: { shell: 1 } };
  for (const booted of ["v12", { kind: "version", version: "v12" }, { kind: "embedded" }]) {
    const [outcome] = replayBoot([{ op: "confirm", bundle: "shell", state, booted }]).steps;
    assert.equal(outcome?.state?.confirmedBoots, undefined, JSON.stringify(booted));
  }
  assert.throws(() => replayBoot([{ op: "confirm", bundle: "shell", state, booted: 13 }]));
});
