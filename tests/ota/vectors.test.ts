import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../../lib/core/json.ts";
import { replayBoot } from "../../scripts/replay/boot.ts";
import { replayCases } from "../../scripts/replay/cases.ts";
import { readScenarios } from "../../scripts/replay/scenario.ts";
import { seededRandom } from "../support/random.ts";
import { DRAWN_KINDS, drawScenario } from "../support/random-vectors.ts";

for (const { id, kind, steps } of readScenarios("vectors")) {
  test(`vector ${id}`, async () => {
    const outcome = kind === "boot" ? replayBoot(steps) : await replayCases(kind, steps);
    assert.ok(outcome.ok, JSON.stringify({ expected: steps, found: outcome.steps }, null, 1));
  });
}

// The native cores meet many of these (tests/native/differential.test.ts).
for (const kind of DRAWN_KINDS) {
  test(`a random ${kind} vector is of a kind that can be replayed`, async () => {
    const { steps, cases } = drawScenario(kind, seededRandom(1), `DRAWN-1-${kind}`);
    const outcome = kind === "boot"
      ? replayBoot(steps as readonly JsonValue[])
      : await replayCases(kind, cases as readonly JsonValue[]);
    assert.ok(outcome.steps.length > 0);
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
