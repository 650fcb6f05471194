import { escapeInvisible } from "../../core/invisible.ts";
import { isRecord } from "../../core/json.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { AppFolders } from "./capacitor-report.ts";
import { type AppSettings, platformPath, shownName } from "./capacitor.ts";
import type { ProjectLack } from "./project-lack.ts";
import { type Fact, type Facts, factsOf, type UnknownFact } from "./plan/fact.ts";
import { folderFrom } from "./gradle-run.ts";
import { isAbsolutePath } from "./plan/project-text.ts";

// The folders and the id of a Capacitor app: as its Capacitor reports them, or as its JSON file states.

/** Maximum characters of a setting that are shown. */
const MAX_SHOWN = 200;

const JSON_FILE = "capacitor.config.json";

/** Findings on an app's settings. */
export interface AppKnowledge {
  readonly root: string;
  /** The same folder with its links resolved: Capacitor reports folders in it. */
  readonly realRoot: string;
  readonly target: PhoneTarget;
  readonly settings: AppSettings;
  /** The report of Capacitor; `null` without one. */
  readonly report: AppFolders | null;
  /** Why there is no report, as the end of a sentence; `null` if Capacitor was not to be asked. */
  readonly silent: string | null;
  /** Missing or wrong parts of the project. */
  readonly lacks: readonly ProjectLack[];
}

const NAMES = ["webDir", "platformDir", "appId"] as const;

/** The facts of an app's settings. */
export function appFacts(app: AppKnowledge): Facts {
  const { settings, report, silent } = app;
  if (report !== null) return ofReport(app, report);
  if (isRecord(settings)) return ofJson(app, settings);
  return factsOf(NAMES.map((name) => ({ name, why: whyUnknown(settings, silent) })));
}

function whyUnknown(settings: Exclude<AppSettings, object>, silent: string | null): string {
  if (settings === "none") return "the app has no settings";
  if (settings === "unusable") return `${JSON_FILE} is not a JSON object`;
  return (settings === "shared"
    ? `${JSON_FILE} is a link out of the project's folder, which only Capacitor follows, `
    : "only Capacitor evaluates the settings, ") +
    (silent ?? "in a build, `build --dry-run` or `toolchain preflight`");
}

/**
 * The folder of the app's own project: the target's name unless the settings name another. As for Capacitor,
 * that may be absolute, and outside the project's folder.
 */
export function appFolderOf(
  { root, realRoot, target, settings, report }: Omit<AppKnowledge, "silent" | "lacks">,
): string {
  const named = report?.platform ?? platformPath(settings, target);
  return folderOf(named, { root, realRoot });
}

/** A folder as {@linkcode folderFrom} returns it. */
function folderOf(
  path: string,
  { root, realRoot }: Pick<AppKnowledge, "root" | "realRoot">,
): string {
  const folder = folderFrom(path, root);
  // Capacitor runs in the folder with its links resolved.
  return isAbsolutePath(folder) ? folderFrom(path, realRoot) : folder;
}

function ofReport(
  { root, realRoot, target, settings: file, lacks }: AppKnowledge,
  report: AppFolders,
): Facts {
  const { web, platform, appId, settings: from } = report;
  const shownFolder = (path: string) => shown(folderOf(path, { root, realRoot }));
  const lackOf = (name: string) => lacks.find((lack) => lack.name === name);
  return factsOf([
    judged({ name: "webDir", value: shownFolder(web), from }, lackOf(from)),
    judged(
      { name: "platformDir", value: shownFolder(platform), from },
      lackOf(platform) ?? lackOf(`${shownName(platformPath(file, target))}/`),
    ),
    { name: "appId", value: shown(appId), from, ok: true },
  ]);
}

function ofJson(
  { target, lacks }: AppKnowledge,
  settings: Readonly<Record<string, unknown>>,
): Facts {
  const { webDir = "www", appId } = settings;
  const folder = platformPath(settings, target);
  const lackOf = (name: string) => lacks.find((lack) => lack.name === name);
  const named = typeof webDir === "string" ? webDir : JSON.stringify(webDir);
  const web = { name: "webDir", value: shown(named), from: JSON_FILE } as const;
  const platform = { name: "platformDir", value: shown(folder), from: JSON_FILE } as const;
  const id: Fact | UnknownFact = typeof appId === "string"
    ? { name: "appId", value: shown(appId), from: JSON_FILE, ok: true }
    : { name: "appId", why: `${JSON_FILE} has none` };
  return factsOf([
    judged(web, lackOf(JSON_FILE)),
    judged(platform, lackOf(`${shownName(folder)}/`)),
    id,
  ]);
}

function judged(fact: Omit<Fact, "ok" | "why" | "fix">, lack: ProjectLack | undefined): Fact {
  return lack === undefined
    ? { ...fact, ok: true }
    : { ...fact, ok: false, why: lack.reason, fix: lack.fix };
}

function shown(text: string): string {
  return escapeInvisible(text.slice(0, MAX_SHOWN));
}
