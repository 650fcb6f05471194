import { isRecord, type JsonValue } from "../../lib/core/json.ts";
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
} from "../../lib/ota-device/mod.ts";
import type { BootState } from "../../lib/ota-format/mod.ts";
import { UnreadableVector } from "./scenario.ts";

/** Result of a step. */
export interface StepOutcome {
  readonly target?: BootTarget;
  readonly state?: BootState | null;
  readonly allowed?: boolean;
}

/**
 * The state machine between steps: its state, and per bundle the served version and count of this
 * launch.
 */
interface Machine {
  state: BootState | null;
  served: Map<string, BootTarget>;
  counted: Set<string>;
}

/** Replays the steps of a boot scenario (INTERPRETING.md). */
export function replayBoot(steps: readonly unknown[]): { ok: boolean; steps: StepOutcome[] } {
  const machine: Machine = { state: null, served: new Map(), counted: new Set() };
  const outcomes: StepOutcome[] = [];
  let ok = true;
  for (const step of steps) {
    if (!isRecord(step)) throw new UnreadableVector("a step is not an object");
    const { expect = {} } = step;
    if (!isRecord(expect)) throw new UnreadableVector("expect is not an object");
    const outcome = replayStep(machine, step);
    outcomes.push(outcome);
    ok &&= matches(outcome, expect);
  }
  return { ok, steps: outcomes };
}

function replayStep(machine: Machine, step: Record<string, unknown>): StepOutcome {
  if ("state" in step) {
    machine.state = parseBootState(step["state"]);
    machine.served.clear();
    machine.counted.clear();
  }
  const text = (member: string): string => {
    const value = step[member];
    if (typeof value !== "string") throw new UnreadableVector(`${member} is not text`);
    return value;
  };
  switch (step["op"]) {
    case "boot": {
      const bundle = text("bundle");
      const decision = boot(machine.state, bundle, {
        exists: existsOf(step, bundle),
        recorded: step["recorded"] !== false,
      });
      machine.state = decision.state;
      machine.served.set(bundle, decision.target);
      machine.counted.delete(bundle);
      return decision;
    }
    case "confirm": {
      const bundle = text("bundle");
      const counted = machine.counted.has(bundle);
      const next = confirm(machine.state, bundle, {
        booted: bootedOf(machine, step, bundle),
        counted,
      });
      if (next !== machine.state) machine.counted.add(bundle);
      machine.state = next;
      return { state: next };
    }
    case "activate":
      machine.state = activate(machine.state, text("bundle"), text("version"));
      return { state: machine.state };
    case "retrial": {
      const bundle = text("bundle");
      const previous = step["previous"] === null ? null : text("previous");
      const exists = existsOf(step, bundle);
      machine.state = retrial(machine.state, bundle, { previous, exists });
      return { state: machine.state };
    }
    case "revert":
      machine.state = revert(machine.state, text("bundle"), {
        quarantine: step["quarantine"] === true,
        toEmbedded: step["toEmbedded"] === true,
      });
      return { state: machine.state };
    case "newBinary":
      machine.state = newBinary(machine.state, text("binaryVersion"));
      return { state: machine.state };
    case "mayStage":
      return {
        state: machine.state,
        allowed: mayStage(machine.state, text("bundle"), text("version")),
      };
    default:
      throw new UnreadableVector(`op ${JSON.stringify(step["op"])} is not known`);
  }
}

/** Returns whether a version of the bundle is among those that a step lists as staged. */
function existsOf(
  { exists = [] }: Record<string, unknown>,
  bundle: string,
): (version: string) => boolean {
  if (!Array.isArray(exists)) throw new UnreadableVector("exists is not a list");
  return (version) => exists.includes(`${bundle}/${version}`);
}

function bootedOf(machine: Machine, step: Record<string, unknown>, bundle: string): BootTarget {
  const { booted } = step;
  if (booted !== undefined) return targetOf(booted);
  const pending = machine.state?.pending?.[bundle];
  return machine.served.get(bundle) ??
    (pending === undefined ? { kind: "embedded" } : { kind: "version", version: pending });
}

/** A target, or just its version. */
function targetOf(value: unknown): BootTarget {
  const { kind, version } = isRecord(value) ? value : { kind: "version", version: value };
  if (kind === "embedded" || version === "embedded") return { kind: "embedded" };
  if (kind === "version" && typeof version === "string") return { kind: "version", version };
  throw new UnreadableVector("booted is neither a version nor a target");
}

function matches(outcome: StepOutcome, expect: Record<string, unknown>): boolean {
  const found = new Map<string, unknown>(Object.entries(outcome));
  return Object.entries(expect).every(([member, expected]) =>
    canonical(found.get(member)) === canonical(expected)
  );
}

/** Ordered text of a value without its empty maps and lists. */
function canonical(value: unknown): string {
  const kept = withoutEmpty(value); // null is a value: no state
  return JSON.stringify(kept === undefined ? {} : kept);
}

function withoutEmpty(value: unknown): JsonValue | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const kept = withoutEmpty(item);
      return kept === undefined ? {} : kept;
    });
    return items.length > 0 ? items : undefined;
  }
  if (isRecord(value)) {
    const members = Object.keys(value).sort()
      .map((key) => [key, withoutEmpty(value[key])] as const)
      .filter(([, member]) => member !== undefined);
    return members.length > 0 ? Object.fromEntries(members) : undefined;
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ||
      value === null
    ? value
    : undefined;
}
