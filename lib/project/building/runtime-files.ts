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
  /** The name of the game's own script, which that one loads; absent for other pages. */
  readonly game?: string;
  /** The name of its style sheet; absent where it has none. */
  readonly style?: string;
  /** Bytes by name, of those that this game needs. Names follow from the bytes. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** Parts of the runtime that a game has only where it needs them. */
export interface RuntimeNeeds {
  /** The client that looks for updates. */
  readonly updates: boolean;
  /** The physics engine. */
  readonly bodies: boolean;
}

/**
 * Reads the runtime that came with Slipway.
 *
 * @param needs Of a built game; `render` for the page that draws captures, `page` for the editor's, `bridge`
 * for what lets an editor see and touch a game.
 * @returns 503 `no-game-runtime`.
 */
export async function readRuntime(
  files: Pick<Files, "read">,
  runtime: GameRuntime | undefined,
  needs: RuntimeNeeds | "render" | "page" | "bridge",
): Promise<Result<RuntimeFiles, Problem>> {
  const place = await runtime?.index() ?? null;
  if (place === null) {
    return noRuntime("it came without one, or could not make it: the terminal says why");
  }
  const folder = place.replace(/[^/\\]+$/, "");
  const read = await attempt(() => files.read(place, MAX_INDEX_BYTES));
  if (!read.ok) return noRuntime(read.error.message);
  const parsed = parseJson(read.value);
  const isOwn = typeof needs === "string";
  const index = isOwn && isRecord(parsed) ? parsed[needs] : parsed;
  const entry = isRecord(index) ? index["entry"] : undefined;
  const names = isRecord(index) ? namesIn(index["files"]) : [];
  const some = isRecord(index) && isRecord(index["some"]) ? index["some"] : {};
  const left = isOwn ? [] : [
    ...(needs.updates ? [] : namesIn(some["updates"])),
    ...(needs.bodies ? [] : namesIn(some["bodies"])),
  ];
  const { style, game } = isRecord(index) ? index : {};
  const isWhole = typeof entry === "string" && names.includes(entry) &&
    [style, game].every((part) => part === undefined || names.some((name) => name === part)) &&
    names.every((name) => checkPath(name).ok);
  if (!isWhole) return noRuntime(`its list of files is damaged`);
  const bytes = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of names.filter((name) => !left.includes(name))) {
    const file = await attempt(() => files.read(`${folder}${name}`, MAX_FILE_BYTES));
    if (!file.ok || file.value === null) return noRuntime(`its ${name} is missing`);
    bytes.set(name, file.value);
  }
  return ok({
    entry,
    ...(typeof game === "string" && { game }),
    ...(typeof style === "string" && { style }),
    files: bytes,
  });
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

function noRuntime(found: string): Result<never, Problem> {
  return refuse(
    503,
    "no-game-runtime",
    `Cannot build the game: this Slipway has no runtime of games: ${found}`,
    "Install Slipway from npm, or name a command of your own in build.web.command",
  );
}
