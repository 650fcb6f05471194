import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LIMITS } from "../../lib/core/limits.ts";
import {
  activate,
  boot,
  type BootTarget,
  confirm,
  mayStage,
  newBinary,
  parseBootState,
  retrial,
  revert,
} from "../../lib/ota-device/boot.ts";
import type { BootState } from "../../lib/ota-format/native.ts";

// Random lives of a device: whatever happens in whatever order, what is promised holds.

const bundle = fc.constantFrom("shell", "game");
const version = fc.integer({ min: 1, max: 6 }).map((n) => `v${n}`);
const event = fc.oneof(
  fc.record({
    op: fc.constant("boot" as const),
    bundle,
    gone: fc.array(version, { maxLength: 2 }),
    recorded: fc.boolean(),
  }),
  fc.record({ op: fc.constant("confirm" as const), bundle }),
  fc.record({ op: fc.constant("stage" as const), bundle, version }),
  fc.record({ op: fc.constant("revert" as const), bundle, toEmbedded: fc.boolean() }),
  fc.record({
    op: fc.constant("retrial" as const),
    bundle,
    previous: fc.option(version),
    gone: fc.array(version, { maxLength: 2 }),
  }),
  fc.record({ op: fc.constant("newBinary" as const), binary: fc.constantFrom("1", "2") }),
);

function noState(): BootState | null {
  return null;
}

test("boot machine keeps its promises over random lives", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let state = noState();
      const served = new Map<string, BootTarget>();
      const counted = new Set<string>();
      const credits = new Map<string, number>(); // confirmed launches of what is pending
      for (const step of events) {
        const before = state;
        switch (step.op) {
          case "boot": {
            const facts = {
              exists: (v: string) => !step.gone.includes(v),
              recorded: step.recorded,
            };
            const decision = boot(state, step.bundle, facts);
            state = decision.state;
            served.set(step.bundle, decision.target);
            counted.delete(step.bundle);
            if (decision.target.kind === "version") {
              assert.ok(facts.exists(decision.target.version), "served a folder that is not there");
            }
            if (!step.recorded) assert.deepEqual(state, before);
            break;
          }
          case "confirm": {
            const booted = served.get(step.bundle) ?? { kind: "embedded" as const };
            const pending = state?.pending?.[step.bundle];
            const next = confirm(state, step.bundle, {
              booted,
              counted: counted.has(step.bundle),
            });
            if (next !== state) {
              assert.deepEqual(
                booted,
                { kind: "version", version: pending },
                "credited what did not boot",
              );
              counted.add(step.bundle);
              const key = `${step.bundle}@${pending}`;
              credits.set(key, (credits.get(key) ?? 0) + 1);
              const active = next?.active?.[step.bundle];
              if (active !== state?.active?.[step.bundle]) {
                assert.ok((credits.get(key) ?? 0) >= LIMITS.bootConfirms, "promoted too early");
              }
            }
            state = next;
            break;
          }
          case "stage":
            if (!mayStage(state, step.bundle, step.version)) break;
            state = activate(state, step.bundle, step.version);
            credits.delete(`${step.bundle}@${step.version}`);
            break;
          case "revert":
            state = revert(state, step.bundle, { toEmbedded: step.toEmbedded });
            assert.equal(state?.pending?.[step.bundle], undefined);
            if (step.toEmbedded) assert.equal(state?.active?.[step.bundle], undefined);
            assert.deepEqual(state?.rejected, before?.rejected);
            break;
          case "retrial": {
            const { previous, gone } = step;
            const tried = before?.active?.[step.bundle];
            const isDue = tried !== undefined && before?.pending?.[step.bundle] === undefined;
            state = retrial(state, step.bundle, { previous, exists: (v) => !gone.includes(v) });
            if (!isDue) {
              assert.deepEqual(state, before);
              break;
            }
            assert.equal(state?.pending?.[step.bundle], tried);
            assert.deepEqual(state?.rejected, before?.rejected);
            const active = state?.active?.[step.bundle];
            if (active !== undefined) {
              assert.equal(active, previous);
              assert.notEqual(active, tried);
              assert.ok(!gone.includes(active) && mayStage(state, step.bundle, active));
            }
            credits.delete(`${step.bundle}@${tried}`);
            break;
          }
          case "newBinary":
            state = newBinary(state, step.binary);
            break;
        }
        for (const [name, attempts] of Object.entries(state?.bootAttempts ?? {})) {
          assert.ok(attempts <= LIMITS.bootAttempts);
          assert.ok((state?.confirmedBoots?.[name] ?? 0) <= attempts);
          assert.ok(state?.pending?.[name] !== undefined, "a count of nothing");
        }
        for (const list of Object.values(state?.rejected ?? {})) {
          assert.ok(list.length <= LIMITS.rejectedVersions);
          assert.equal(new Set(list).size, list.length);
        }
        if (state !== null) {
          assert.deepEqual(parseBootState(JSON.parse(JSON.stringify(state))), state);
        }
      }
    }),
    { numRuns: 2000 },
  );
});
