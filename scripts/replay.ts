#!/usr/bin/env node
import { relative, resolve, sep } from "node:path";
import { attempt } from "../lib/core/attempt.ts";
import { err, fail, type Failure, type Result } from "../lib/core/result.ts";
import type { EmbeddedEditor, SavedRound } from "../lib/editor/mod.ts";
import { MAX_RECORDING_BYTES, parseRecording } from "../lib/game/play/mod.ts";
import type { Files } from "../lib/ports/files.ts";
import { openProject } from "../lib/project/mod.ts";
import { commandLine, failureOf, printFailure, runScript } from "./shared/cli.ts";
import type { CommandSpec } from "./shared/command-line.ts";
import { interrupted } from "./shared/ending.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import { createOutput } from "./shared/output.ts";
import { loadRuntime } from "./shared/runtime.ts";

// Replays a recorded round without a page, and reports whether it ends in the recorded world.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("replay", "FILE.round.json [--project DIR]"),
  flags: { project: { kind: "value", doc: "the project's folder (default: this one)" } },
  takesWords: true,
  after: () =>
    [
      "  Rounds are saved by play_control action=save, and by slipwayGame.recording() in a page.",
      "  Exits with 1 if the world at the end differs from the recording.",
    ].join("\n"),
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const [file, surplus] = line.positionals;
  if (file === undefined || surplus !== undefined) {
    const message = `Found ${line.positionals.length} files: expected the one of a recorded round`;
    return printFailure({ code: "usage", message, next: "See --help" });
  }
  const output = createOutput(line);
  const { files, clock } = await loadRuntime();
  const root = resolve(line.values["project"] ?? ".");
  const opened = await openProject({ files, clock, root });
  if (!opened.ok) return output.failure(failureOf(opened.error));
  const { editor } = opened.value;
  try {
    const played = await replayFile(files, editor, { root, file: resolve(file) });
    if (!played.ok) return output.failure(played.error);
    const { same, hash, ticks } = played.value;
    output.result(
      { ok: same !== false, ...played.value },
      `${verdict(same)}: ${hash} (${ticks} ticks)`,
    );
    return same === false ? 1 : 0;
  } finally {
    await editor.close();
  }
}

/** Plays a file of the project in the scene that it began in. */
async function replayFile(
  files: Pick<Files, "read">,
  editor: EmbeddedEditor,
  { root, file }: { readonly root: string; readonly file: string },
): Promise<Result<SavedRound, Failure>> {
  const path = relative(root, file).replaceAll(sep, "/");
  const read = await attempt(() => files.read(file, MAX_RECORDING_BYTES));
  if (!read.ok || read.value === null) {
    const found = read.ok ? "no such file" : read.error.message;
    const next = "Name the file of a round that was saved";
    return fail("no-such-round", `Cannot read ${path}: ${found}`, next);
  }
  const round = parseRecording(path, read.value);
  if (!round.ok) return round;
  const there = await editor.editing.openScene(round.value.scene, { source: "human" });
  const played = there.ok
    ? await editor.play.replay(path, { signal: interrupted(), source: "human" })
    : there;
  return played.ok ? played : err(failureOf(played.error));
}

function verdict(same: boolean | undefined): string {
  if (same === undefined) return "Played back; the file does not say which world was recorded";
  return same ? "The same world as recorded" : "Another world than was recorded";
}

if (isMain(import.meta)) await runScript(main);
