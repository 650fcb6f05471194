import { createHash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import { join } from "node:path";
import process from "node:process";
import { isRecord } from "../../lib/core/json.ts";
import { parseJson } from "../../lib/core/json-text.ts";
import type { Checkout } from "./checkout.ts";
import { EVERYWHERE, type Inputs } from "./inputs.ts";
import { type Outcome, remembered, type Skip } from "./outcome.ts";

// Parts of the gate that passed on this machine, by a hash of everything that determines them:
// their files, the runtimes, the machine. A part with the same hash is not run again.

/** A part of the gate with its dependencies. */
export interface Part {
  /** The same in every run: `tests/core/ring.test.ts (deno)`. */
  readonly name: string;
  /** Files and folders of the checkout; absent if anything may matter. */
  readonly inputs?: readonly string[];
}

/** The memory of passes. */
export interface Passes {
  /** The outcome of a part that passed before, or `null` when it is to be run. */
  recall(part: Part): Outcome | null;
  /** Remembers a part that passed; one that failed, was flaky or ran no test is not remembered. */
  keep(part: Part, outcome: Outcome): void;
}

/** A memory that remembers nothing. */
export const NO_PASSES: Passes = { recall: () => null, keep: () => {} };

const FORMAT = 1;
/** How long an unused pass is kept, in milliseconds. */
const KEPT_MS = 14 * 24 * 3_600_000;

/** Opens the memory in a folder. @param recalls Whether parts are recalled, or all are run. */
export function openPasses(
  { folder, recalls, machine, checkout, inputs }: {
    readonly folder: string;
    readonly recalls: boolean;
    /** Facts of the machine that decide: see `machineFacts`. */
    readonly machine: readonly string[];
    readonly checkout: Checkout;
    readonly inputs: Inputs;
  },
): Passes {
  mkdirSync(folder, { recursive: true });
  prune(folder);
  const place = ({ name, inputs: seeds }: Part) => {
    const paths = seeds === undefined
      ? checkout.keys()
      : [...EVERYWHERE, ...seeds].flatMap((seed) => [...inputs.of(seed)]);
    const files = [...new Set(paths)].toSorted().map((path) => `${path} ${checkout.get(path)}`);
    const facts = [FORMAT, name, ...machine, ...files].join("\n");
    return join(folder, `${createHash("sha256").update(facts).digest("hex")}.json`);
  };
  return {
    recall(part) {
      if (!recalls) return null;
      const path = place(part);
      const skips = readSkips(path);
      if (skips === null) return null;
      touch(path);
      return remembered(part.name, skips);
    },
    keep(part, outcome) {
      if (outcome.failed > 0 || outcome.flaky.length > 0 || outcome.passed === 0) return;
      const path = place(part);
      writeFileSync(`${path}.${process.pid}`, JSON.stringify({ skipped: outcome.skipped }));
      renameSync(`${path}.${process.pid}`, path);
    },
  };
}

/**
 * Returns the machine's facts that determine whether a part passes: its system, its programs, its
 * search paths.
 */
export function machineFacts({ deno, node }: {
  readonly deno: string;
  readonly node: { readonly path: string; readonly version: string } | null;
}): readonly string[] {
  return [
    `${process.platform} ${process.arch} ${os.release()} ${process.getuid?.() ?? ""}`,
    stamp(deno),
    node === null ? "no node" : `${node.version} ${stamp(node.path)}`,
    process.env["PATH"] ?? "",
    stamp("/var/lib/dpkg/status"), // another Chromium, another JDK
  ];
}

/** Returns size and time of a file; empty if it is missing. */
function stamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "" : `${path} ${stats.size} ${Math.round(stats.mtimeMs)}`;
}

/** The skips of a part that passed, or `null` for a part that did not, or a damaged record. */
function readSkips(path: string): readonly Skip[] | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return null; // never passed with these inputs
  }
  const record = parseJson(text);
  if (!isRecord(record) || !Array.isArray(record["skipped"])) return null;
  return record["skipped"].every(isSkip) ? record["skipped"] : null;
}

function isSkip(value: unknown): value is Skip {
  return isRecord(value) && typeof value["name"] === "string" &&
    typeof value["reason"] === "string";
}

function touch(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // Another run has pruned it: it is stored again when the part runs again.
  }
}

function prune(folder: string): void {
  const oldest = Date.now() - KEPT_MS;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && stats.mtimeMs < oldest) rmSync(path, { force: true });
  }
}
