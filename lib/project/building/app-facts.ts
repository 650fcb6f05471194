import { escapeInvisible } from "../../core/invisible.ts";
import { isRecord } from "../../core/json.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { AppFolders } from "./capacitor-report.ts";
import type { AppSettings } from "./capacitor.ts";
import type { ProjectLack } from "./project-lack.ts";
import { type Fact, type Facts, factsOf, type UnknownFact } from "./plan/fact.ts";
import { relativeFolder } from "./gradle-run.ts";

// The folders and the id of a Capacitor app: as its Capacitor reports them, or as its JSON file says.

/** Maximum characters of a setting that are shown. */
const MAX_SHOWN = 200;

const JSON_FILE = "capacitor.config.json";

/** What is known of an app's settings. */
export interface AppKnowledge {
  readonly root: string;
  readonly target: PhoneTarget;
  readonly settings: AppSettings;
  /** What Capacitor reports; `null` if it was not asked, or reported nothing. */
  readonly report: AppFolders | null;
  /** Why it reported nothing, if it was asked. */
  readonly silent: string | null;
  /** What the project lacks. */
  readonly lacks: readonly ProjectLack[];
}

const NAMES = ["webDir", "platformDir", "appId"] as const;

/** The facts of an app's settings. */
export function appFacts(app: AppKnowledge): Facts {
  const { settings, report, silent } = app;
  if (report !== null) return ofReport(app, report);
  if (isRecord(settings)) return ofJson(app, settings);
  const why = silent ??
    (settings === "programmed"
      ? "only Capacitor evaluates the settings, in a build, `build --dry-run` or `toolchain preflight`"
      : settings === "none"
      ? "the app has no settings"
      : `${JSON_FILE} is not a JSON object`);
  return factsOf(NAMES.map((name) => ({ name, why })));
}

/** The folder of the app's own project, below the project's; the target's name unless settings say another. */
export function appFolderOf(
  { root, target, settings, report }: Pick<AppKnowledge, "root" | "target" | "settings" | "report">,
): string {
  const named = report?.platform ?? platformPath(settings, target);
  return relativeFolder(named, root) ?? target;
}

function ofReport({ root, lacks }: AppKnowledge, report: AppFolders): Facts {
  const { web, platform, appId, settings: from } = report;
  const shownFolder = (path: string) => shown(relativeFolder(path, root) ?? path);
  const folder = shownFolder(platform);
  const lackOf = (name: string) => lacks.find((lack) => lack.name === name);
  return factsOf([
    judged({ name: "webDir", value: shownFolder(web), from }, lackOf(from)),
    judged(
      { name: "platformDir", value: folder, from },
      lackOf(platform) ?? lackOf(`${folder}/`),
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
  const web = { name: "webDir", value: shown(`${webDir}`), from: JSON_FILE } as const;
  const platform = { name: "platformDir", value: shown(folder), from: JSON_FILE } as const;
  const id: Fact | UnknownFact = typeof appId === "string"
    ? { name: "appId", value: shown(appId), from: JSON_FILE, ok: true }
    : { name: "appId", why: `${JSON_FILE} has none` };
  return factsOf([
    judged(web, lackOf(JSON_FILE)),
    judged(platform, lackOf(`${shown(folder)}/`)),
    id,
  ]);
}

function judged(fact: Omit<Fact, "ok" | "why" | "fix">, lack: ProjectLack | undefined): Fact {
  return lack === undefined
    ? { ...fact, ok: true }
    : { ...fact, ok: false, why: lack.reason, fix: lack.fix };
}

function platformPath(settings: AppSettings, target: PhoneTarget): string {
  const own = isRecord(settings) ? settings[target] : undefined;
  return isRecord(own) && typeof own["path"] === "string" ? own["path"] : target;
}

function shown(text: string): string {
  return escapeInvisible(text.slice(0, MAX_SHOWN));
}
