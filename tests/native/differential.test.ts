import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { isRecord, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import { replayBoot } from "../../scripts/replay/boot.ts";
import { replayCases } from "../../scripts/replay/cases.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { DRAWN_KINDS, drawScenario } from "../support/random-vectors.ts";
import { rounds } from "../support/rounds.ts";

// The same random vectors through TypeScript, Swift and Java: every intermediate state and every
// verdict must be equal. SLIPWAY_REPLAY names the natives that are here, `ios,android`.

// Takes long: a difference is found by numbers alone, and each program answers every vector in each kind.

const PROGRAMS = (process.env["SLIPWAY_REPLAY"] ?? "").split(",").filter((name) => name !== "");
const BATCH = 10_000;
const seed = runSeed();

for (const kind of DRAWN_KINDS) {
  const count = kind === "boot" ? rounds(20_000, 1_000_000) : kind === "stage"
    ? rounds(300, 20_000) // each on a disk of its own
    : rounds(1_500, 60_000);
  for (const program of PROGRAMS) {
    test(`${program} comes to what TypeScript comes to, over ${count} random ${kind} vectors`, () =>
      withFolder(async (folder) => {
        for (let at = 0; at < count; at += BATCH) {
          const random = seededRandom(seed + at);
          const drawn = Array.from(
            { length: Math.min(BATCH, count - at) },
            (_, i) => drawScenario(kind, random, `DRAWN-${at + i}-${kind}`),
          );
          const file = join(folder, "drawn.json");
          writeFileSync(file, JSON.stringify(drawn));
          const found = replay(program, file);
          for (const [i, scenario] of drawn.entries()) {
            const expected = await outcomeOf(scenario);
            const line = found[i] ?? "";
            // Nearly all are the same letter by letter, which is told at once.
            if (line === JSON.stringify({ id: scenario["id"], ...expected })) continue;
            const [came, want] = [plain(JSON.parse(line || "null")), plain(expected)];
            if (came === want) continue;
            assert.fail(
              `SLIPWAY_SEED=${seed}: ${program} came to ${came}, TypeScript to ${want}, ` +
                `from ${JSON.stringify(scenario)}`,
            );
          }
        }
      }));
  }
}

async function outcomeOf({ kind, steps, cases }: JsonObject): Promise<Replayed> {
  return kind === "boot"
    ? replayBoot(steps as readonly JsonValue[])
    : await replayCases(String(kind), cases as readonly JsonValue[]);
}

/** What came of a scenario. */
interface Replayed {
  readonly steps: readonly unknown[];
}

/** The line that a native prints for each scenario of a file. */
function replay(program: string, file: string): readonly string[] {
  const command = join(packageRoot(), "native", program, "replay");
  const { stdout, stderr, status, error } = spawnSync(command, [file], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (error) throw error;
  const lines = stdout.trimEnd().split("\n");
  assert.match(
    lines.pop() ?? "",
    /^\d+ passed, 0 failed$/,
    `SLIPWAY_SEED=${seed}: ${status} ${stderr}`,
  );
  return lines;
}

/** What came of each step, with members in one order. */
function plain(outcome: Replayed | null): string {
  return JSON.stringify(ordered(JSON.parse(JSON.stringify(outcome?.steps ?? null), isTold)));
}

/** How much of a download that failed lies in `.partial` is told by how much a core reads at once. */
function isTold(_name: string, value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.filter((item) => !/^\.partial\//.test(String(item))) : value;
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map((
      [name, one],
    ) => [name, ordered(one)]),
  );
}
