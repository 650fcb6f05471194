import { encodeUtf8 } from "../../core/bytes.ts";
import { runCooperatively } from "../../core/cooperative.ts";
import { jsonFileParsing } from "../../core/json-pieces.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import {
  MAX_RECORDING_BYTES,
  type Recording,
  recordingParsing,
  type RunningGame,
  serializeRecording,
  worldHash,
} from "../../game/play/mod.ts";
import { readProjectFile, writeProjectFile } from "../files/project-files.ts";
import { checkNewProjectPath } from "../files/project-path.ts";
import type { SavedRound } from "../ports/mod.ts";
import type { EditorCore } from "../session/editor-core.ts";

/** Ending of recorded rounds: a round never replaces another file. */
const ROUND = ".round.json";
const WRONG_PATH = {
  code: "bad-path",
  hint: `Name a file of the project that ends in ${ROUND}, as rounds/first${ROUND}`,
};

/** Writes the round until now into the project. */
export async function saveRound(
  { files, root, scenePath }: EditorCore,
  { recorder, game }: RunningGame,
  path: string,
): Promise<Result<SavedRound, Problem>> {
  const checked = checkRoundPath(path);
  if (!checked.ok) return checked;
  if (scenePath === "") {
    const detail = "Cannot save the round: the scene that it began in has no file";
    return refuse(422, "not-recorded", detail, "Save the scene, stop, and play again");
  }
  const round = recorder.upTo(game.tick);
  if (round === null) {
    const detail = "Cannot save the round: it is too long";
    return refuse(422, "not-recorded", detail, "Stop and play again");
  }
  const hash = await worldHash(game); // as it is at this step: it is read before anything is awaited
  const bytes = encodeUtf8(serializeRecording({ ...round, hash }));
  const written = await writeProjectFile(
    files,
    { root, path },
    (location) => files.writeAtomic(location, bytes),
  );
  if (!written.ok) return written;
  return ok({ path, ticks: round.ticks, events: round.events.length, hash });
}

/** Reads a round that began in the open scene. */
export async function readRound(
  { files, clock, root, scenePath }: EditorCore,
  path: string,
): Promise<Result<Recording, Problem>> {
  const checked = checkRoundPath(path);
  if (!checked.ok) return checked;
  const read = await readProjectFile(files, root, { path, maxBytes: MAX_RECORDING_BYTES });
  if (!read.ok) return read;
  if (read.value === null) {
    const detail = `Cannot play "${path}" back: it is not there, or too large`;
    return refuse(404, "no-such-round", detail, "play_control action=save writes one");
  }
  const parsed = await runCooperatively(recordingParsing(path, read.value, jsonFileParsing), {
    now: () => clock.monotonic(),
  });
  if (!parsed.ok) {
    return refuse(422, parsed.error.code, parsed.error.message, "Record the round again");
  }
  const { scene } = parsed.value;
  if (scene === scenePath) return ok(parsed.value);
  const detail = `Cannot play "${path}" back: it began in "${scene}", open is "${scenePath}"`;
  return refuse(409, "other-scene", detail, `open_scene path=${scene}`);
}

function checkRoundPath(path: string): Result<string, Problem> {
  const checked = checkNewProjectPath(path, WRONG_PATH);
  if (!checked.ok || path.endsWith(ROUND)) return checked;
  const detail = `Cannot use path ${
    JSON.stringify(path.slice(0, 120))
  }: it does not end in ${ROUND}`;
  return refuse(422, WRONG_PATH.code, detail, WRONG_PATH.hint);
}
