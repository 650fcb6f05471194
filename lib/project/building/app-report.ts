import { howEnded, runStartable } from "../../programs/mod.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { Command } from "../config/config.ts";
import { capacitorProbe } from "./capacitor.ts";
import { type AppFolders, parseAppFolders } from "./capacitor-report.ts";
import { readyStep, shownCommand, type StepDependencies } from "./run-step.ts";
import type { Files } from "../../ports/files.ts";

/** Time that Capacitor has to report, in milliseconds. */
const REPORTS_MS = 60_000;

/** The answer of Capacitor about an app. */
export type AppReport =
  /** Its folders. */
  | { readonly kind: "folders"; readonly folders: AppFolders }
  /** There is none, and why, as the end of a sentence: it is not installed, or did not report. */
  | { readonly kind: "silent"; readonly why: string }
  /** It does not start: neither will the build. */
  | { readonly kind: "not-started"; readonly reason: string; readonly fix: string };

/** Asks the app's own Capacitor for its folders, before anything else of the project is run. */
export async function askForFolders(
  dependencies: Omit<StepDependencies, "files"> & { readonly files: Files },
  { root, target, steps, env, signal }: {
    readonly root: string;
    readonly target: PhoneTarget;
    readonly steps: readonly Command[];
    readonly env: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<AppReport> {
  const probe = await capacitorProbe(dependencies.files, { root, steps });
  if (probe === null) return { kind: "silent", why: "and it is not installed" };
  const { command, index } = probe;
  const setting = `build.${target}.steps[${index}]`;
  const step = { command, setting, root, env, onLine: () => undefined, signal };
  const ready = await readyStep(dependencies, step);
  if (!ready.ok) {
    return { kind: "not-started", reason: ready.error.detail, fix: ready.error.hint };
  }
  const { spawn, cwd } = ready.value;
  const end = await runStartable(spawn, {
    ...{ cwd, env, signal, timeoutMs: REPORTS_MS },
    machine: dependencies,
  });
  if (end.kind !== "exited" || end.code !== 0) {
    const said = "tail" in end && end.tail !== "" ? `; its last lines:\n${end.tail}` : "";
    const reason = `${shownCommand(command)} ${howEnded(end)}${said}`;
    return { kind: "not-started", reason, fix: fixOfStart(reason) };
  }
  const folders = parseAppFolders(end.stdout, target);
  return folders === null
    ? { kind: "silent", why: "and it does not report them" }
    : { kind: "folders", folders };
}

/** The next step for a Capacitor that does not start, by its own words. */
export function fixOfStart(said: string): string {
  const aboutNode = /\bNode(?:\.?js)?\b[^\n]*\d|unsupported engine|SyntaxError/i.test(said);
  return "Correct what it says" +
    (aboutNode
      ? ". For another Node install that, or set SVC_PROVISION_NODE=1: then Slipway brings its own"
      : "");
}
