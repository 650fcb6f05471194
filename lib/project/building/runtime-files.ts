import { attempt } from "../../core/attempt.ts";
import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { checkPath } from "../../core/paths.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { GameRuntime } from "../../ports/game-runtime.ts";

const MAX_INDEX_BYTES = 1024 * 1024;
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The runtime of built games: what every one of them carries. */
export interface RuntimeFiles {
  /** The name of the script that a page runs. */
  readonly entry: string;
  /** Bytes by name. Names follow from the bytes. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/**
 * Reads the runtime that came with Slipway.
 *
 * @returns 503 `no-game-runtime`.
 */
export async function readRuntime(
  files: Pick<Files, "read">,
  runtime: GameRuntime | undefined,
): Promise<Result<RuntimeFiles, Problem>> {
  const place = await runtime?.index() ?? null;
  if (place === null) return noRuntime("it came without one");
  const folder = place.replace(/[^/\\]+$/, "");
  const read = await attempt(() => files.read(place, MAX_INDEX_BYTES));
  if (!read.ok) return noRuntime(read.error.message);
  const index = parseJson(read.value);
  const entry = isRecord(index) ? index["entry"] : undefined;
  const named: unknown = isRecord(index) ? index["files"] : undefined;
  const names = Array.isArray(named) ? named.filter((name) => typeof name === "string") : [];
  const isWhole = typeof entry === "string" && names.includes(entry) &&
    names.every((name) => checkPath(name).ok);
  if (!isWhole) return noRuntime(`its list of files is damaged`);
  const bytes = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of names) {
    const file = await attempt(() => files.read(`${folder}${name}`, MAX_FILE_BYTES));
    if (!file.ok || file.value === null) return noRuntime(`its ${name} is missing`);
    bytes.set(name, file.value);
  }
  return ok({ entry, files: bytes });
}

function noRuntime(found: string): Result<never, Problem> {
  return refuse(
    503,
    "no-game-runtime",
    `Cannot build the game: this Slipway has no runtime of games: ${found}`,
    "Install Slipway from npm, or name a command of your own in build.web.command",
  );
}
