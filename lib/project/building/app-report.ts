import { howEnded, runStartable } from "../../programs/mod.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { Command } from "../config/config.ts";
import { capacitorProbe } from "./capacitor.ts";
import { type AppFolders, parseAppFolders } from "./capacitor-report.ts";
import { readyStep, type StepDependencies } from "./run-step.ts";
import type { Files } from "../../ports/files.ts";

/** A Capacitor that does not report by then reports nothing, in milliseconds. */
const REPORTS_MS = 60_000;

/** What Capacitor said of an app. */
export type AppReport =
  /** Its folders; `null` if there is no Capacitor to ask. */
  | { readonly kind: "folders"; readonly folders: AppFolders | null }
  /** It started and did not report. */
  | { readonly kind: "silent" }
  /** It does not start: neither will the build. */
  | { readonly kind: "not-started"; readonly reason: string };

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
  if (probe === null) return { kind: "folders", folders: null };
  const { command, index } = probe;
  const setting = `build.${target}.steps[${index}]`;
  const step = { command, setting, root, env, onLine: () => undefined, signal };
  const ready = await readyStep(dependencies, step);
  if (!ready.ok) return { kind: "not-started", reason: ready.error.detail };
  const { spawn, cwd } = ready.value;
  const end = await runStartable(spawn, {
    ...{ cwd, env, signal, timeoutMs: REPORTS_MS },
    machine: dependencies,
  });
  if (end.kind !== "exited" || end.code !== 0) {
    const said = "tail" in end && end.tail !== "" ? `; its last lines:\n${end.tail}` : "";
    return { kind: "not-started", reason: `${command.join(" ")} ${howEnded(end)}${said}` };
  }
  const folders = parseAppFolders(end.stdout, target);
  return folders === null ? { kind: "silent" } : { kind: "folders", folders };
}
