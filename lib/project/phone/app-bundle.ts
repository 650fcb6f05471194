import { attempt } from "../../core/attempt.ts";
import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { GameRuntime } from "../../ports/game-runtime.ts";
import type { ProjectConfig } from "../config/config.ts";
import type { OtaConnection } from "../config/ota-config.ts";
import { phoneUnwritable } from "./tell.ts";

// The game as the phone's app has it: built as players get it, into a folder of the phone's own.

/** Maximum size of a scene file that is cut in half, in bytes. */
const MAX_SCENE_BYTES = 64 * 1024 * 1024;
const COLOURS = ["#4c6fff", "#0b8f6a", "#b3262e", "#8a4bd0", "#b06a00"];

/** Dependencies of building a game for the phone. */
export interface BundleParts {
  readonly files: Files;
  readonly gameRuntime?: GameRuntime | undefined;
  /** The project's folder, absolute. */
  readonly root: string;
}

/** A bundle to build. */
export interface BundleRequest {
  readonly config: ProjectConfig;
  /** The source of its updates. */
  readonly connection: OtaConnection;
  /** Emptied first; absolute. */
  readonly folder: string;
  /** Shown in a corner to identify the running version; absent: as players get it. */
  readonly label?: string;
  /** Leaves half of the first scene out. */
  readonly isBroken?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Builds the game of a project for the phone. Writes nothing into the project.
 *
 * @returns 422 `own-web-build` if the project's own command builds it, 422 `build-failed`, 503
 * `no-game-runtime`, 404 `scene-not-found`.
 */
export async function buildForPhone(
  { files, gameRuntime, root }: BundleParts,
  { config, connection, folder, label, isBroken = false, signal }: BundleRequest,
): Promise<Result<null, Problem>> {
  if (config.build.web.command !== undefined) {
    return refuse(
      422,
      "own-web-build",
      "Cannot put the game on the simulated phone: a command of the project builds it " +
        "(build.web.command), expected a game that Slipway builds",
      "Try updates on a real device, or with a project without build.web.command",
    );
  }
  const { devices: _none, ...playersConfig } = config;
  const build = {
    files,
    gameRuntime,
    root,
    config: { ...playersConfig, ota: { enabled: true, ...connection } as const },
    log: () => undefined,
    signal,
  };
  // Imported on demand: it reads scenes and models, which other actions do not need.
  const { readyGame, writeGame } = await import("../building/build-game.ts");
  const ready = await readyGame(build);
  if (!ready.ok) return ready;
  const made = new Map(ready.value.made);
  if (label !== undefined) {
    const style = decodeUtf8(made.get("page.css") ?? new Uint8Array()) ?? "";
    made.set("page.css", encodeUtf8(`${style}${labelStyle(label)}`));
  }
  const emptied = await attempt(() => files.remove(folder));
  if (!emptied.ok) return phoneUnwritable(folder, emptied.error.message);
  const written = await writeGame(build, { ...ready.value, made }, folder);
  if (!written.ok || !isBroken) return written;
  const scene = `${folder}/${config.startScene}`;
  const cut = await attempt(async () => {
    const bytes = await files.read(scene, MAX_SCENE_BYTES) ?? new Uint8Array();
    await files.write(scene, bytes.slice(0, bytes.length >> 1));
  });
  return cut.ok ? ok(null) : phoneUnwritable(scene, cut.error.message);
}

/** The version, in a corner of the game. @param label `v<N>`. */
function labelStyle(label: string): string {
  const colour = COLOURS[(Number(label.slice(1)) - 1) % COLOURS.length] ?? "#000";
  return `body::after {
  content: ${JSON.stringify(label)};
  position: fixed;
  top: 16px;
  right: 20px;
  z-index: 2;
  padding: 0.1em 0.6em 0.15em;
  border-radius: 1em;
  background: ${colour};
  font: 700 1.25rem system-ui, sans-serif;
  pointer-events: none;
}
`;
}
