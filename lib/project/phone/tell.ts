import { type Problem, refuse } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import { sizeText } from "../../core/sizes.ts";
import type { OtaProgress, StageResult } from "../../ota-format/mod.ts";
import type { PhoneAction, PhoneCheck, PhoneEvent } from "./state.ts";

// The sentences of the phone's story, and of its refusals.

type Reported = Pick<PhoneEvent, "mood" | "text">;

/** Text for the result of a check; `null` if its steps have reported it already. */
export function checkText({ result, version, detail }: PhoneCheck): Reported | null {
  switch (result) {
    case "staged":
      return null;
    case "up-to-date":
      return {
        mood: "plain",
        text: `No update: ${detail ?? `${version ?? "this version"} is the newest`}`,
      };
    case "version-rejected":
      return { mood: "good", text: `${version ?? "It"} is refused: this phone has quarantined it` };
    case "no-release-for-bundle":
      return { mood: "plain", text: `No update could be read: ${detail ?? "no answer"}` };
    default:
      return { mood: "bad", text: `No update (${result}): ${detail ?? ""}` };
  }
}

/** Describes the end of a staging. */
export function stagedText(
  version: string,
  result: StageResult,
  progress: OtaProgress | null,
): string {
  if (!result.ok) return `${version} was not staged (${result.code}): ${result.detail}`;
  const { bytesDone, filesTotal } = progress ?? { bytesDone: 0, filesTotal: 0 };
  return `${version} is staged: ${sizeText(bytesDone)} fetched, ${filesTotal} files in place, ` +
    "each by its hash";
}

/** 409: one thing after another. */
export function busy(doing: PhoneAction): Result<never, Problem> {
  const detail = `The phone is busy: found "${doing}" under way, expected none`;
  return refuse(409, "phone-busy", detail, "Wait for it, or kill the app");
}

/** 409: no app is installed. */
export function noApp(): Result<never, Problem> {
  const detail = "There is no app on the simulated phone, expected one";
  return refuse(409, "phone-empty", detail, "Start it first: action=start");
}

/** 422: the phone's own folder cannot be written. */
export function phoneUnwritable(path: string, found: string): Result<never, Problem> {
  return refuse(
    422,
    "phone-unwritable",
    `Cannot write ${path}: ${found}`,
    "See that the folder of your settings can be written",
  );
}
