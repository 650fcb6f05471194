import { type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import { listOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { callService, fetchProducer } from "../wire/service.ts";
import { say } from "./notices.ts";

// The tools that builds need, as the service finds them on its machine.

/** Groups of tools, in display order. */
export const GROUPS = ["Android", "iOS", "Model", "Text", "Audio", "Core"] as const;

/** A tool for builds. Missing texts are empty. */
export interface BuildTool {
  readonly id: string;
  readonly group: string;
  readonly need: string;
  readonly present: boolean;
  /** Whether it is present and complete. */
  readonly serves: boolean;
  readonly source: string;
  readonly version: string;
  readonly path: string;
  readonly canInstall: boolean;
  readonly pinned: string;
  readonly reason: string;
  readonly lacks: readonly string[];
  readonly warnings: readonly string[];
  readonly tried: readonly { readonly path: string; readonly reason: string }[];
  readonly licences: readonly ToolLicence[];
  readonly guide: ToolGuide | null;
}

/** Terms that installing accepts. */
export interface ToolLicence {
  readonly title: string;
  readonly text: string;
  readonly url: string;
  /** Author and time of its acceptance; empty before. */
  readonly accepted: string;
}

/** Steps that a person follows. */
export interface ToolGuide {
  readonly title: string;
  readonly steps: readonly string[];
  readonly url: string;
}

/** Missing requirements of a build target. */
export interface TargetLacks {
  readonly ready: boolean;
  readonly missing: readonly {
    readonly id: string;
    readonly reason: string;
    readonly fix: string;
    readonly canInstall: boolean;
  }[];
  /** Missing parts of the project's own folder. */
  readonly project: readonly {
    readonly name: string;
    readonly reason: string;
    readonly fix: string;
  }[];
  /** The tools, folders and commands that a build will use. */
  readonly plan: readonly PlannedFact[];
}

/** A part of a build's plan. */
export interface PlannedFact {
  readonly name: string;
  /** `null` if it is not known; empty if there is none. */
  readonly value: string | null;
  readonly from: string;
  readonly why: string;
}

/** The toolchain of the service's machine. */
export interface PageToolchain {
  readonly platform: string;
  readonly directory: string;
  readonly allowsSystem: boolean;
  readonly tools: readonly BuildTool[];
  readonly warnings: readonly string[];
  readonly lacks: Readonly<Record<"web" | "android" | "ios", TargetLacks>>;
  /** The installation of all missing tools by one button, with its size in bytes. */
  readonly installable: {
    readonly ids: readonly string[];
    readonly bytes: number;
    readonly disk: number;
  };
}

/** The state last loaded; `null` before. */
export const toolchain: Signal<PageToolchain | null> = signal(null);
/** Why it could not be looked at; empty when it could. */
export const toolchainProblem: Signal<string> = signal("");
/** Whether it is looked at now. */
export const isLooking: Signal<boolean> = signal(false);

let asked = 0;

/** Looks at every tool again. */
export async function loadToolchain(): Promise<void> {
  const number = ++asked;
  isLooking.value = true;
  const [answer, web] = await Promise.all([
    fetchProducer("toolchain"),
    callService("preflight_build", { target: "web" }),
  ]);
  if (number !== asked) return; // a newer look is under way
  isLooking.value = false;
  toolchainProblem.value = answer.ok ? "" : `${answer.error.detail}. ${answer.error.hint}`;
  if (answer.ok) toolchain.value = toolchainOf(answer.value, web.ok ? web.value : READY);
}

/** Allows or refuses tools of the system. */
export async function allowSystem(system: boolean): Promise<void> {
  const answer = await callService("set_toolchain", { system });
  if (!answer.ok) say("error", answer.error.detail, answer.error.hint);
  else if (answer.value["allowSystemToolchain"] !== system) {
    say("info", "Saved, but SVC_ALLOW_SYSTEM_TOOLCHAIN allows system tools until it is unset");
  }
  await loadToolchain();
}

/** Uninstalls a tool. */
export async function uninstall(id: string): Promise<void> {
  const answer = await callService("uninstall_tool", { id });
  if (!answer.ok) say("error", answer.error.detail, answer.error.hint);
  await loadToolchain();
}

/** Parses the service's answers. @param web The preflight of the web build. */
export function toolchainOf(value: unknown, web: unknown): PageToolchain | null {
  if (!isRecord(value)) return null;
  const { preflight, installable } = value;
  const { android, ios } = isRecord(preflight) ? preflight : {};
  const { ids, bytes, disk } = isRecord(installable) ? installable : {};
  return {
    platform: textOrEmpty(value["platform"]),
    directory: textOrEmpty(value["toolchainDir"]),
    allowsSystem: value["allowSystemToolchain"] === true,
    tools: listOf(value["tools"], toolOf),
    warnings: textsOf(value["warnings"]),
    lacks: {
      web: lacksOf(web),
      android: lacksOf(android),
      ios: lacksOf(ios),
    },
    installable: { ids: textsOf(ids), bytes: numberOf(bytes), disk: numberOf(disk) },
  };
}

function toolOf(value: unknown): BuildTool | null {
  if (!isRecord(value) || typeof value["id"] !== "string") return null;
  const present = value["present"] === true;
  const lacks = textsOf(value["lacks"]);
  return {
    id: value["id"],
    group: textOrEmpty(value["group"]),
    need: textOrEmpty(value["need"]),
    present,
    serves: present && lacks.length === 0,
    source: textOrEmpty(value["source"]),
    version: textOrEmpty(value["version"]),
    path: textOrEmpty(value["path"]),
    canInstall: value["canAutoInstall"] === true,
    pinned: textOrEmpty(value["pinned"]),
    reason: textOrEmpty(value["reason"]),
    lacks,
    warnings: textsOf(value["warnings"]),
    tried: listOf(
      value["tried"],
      (one) =>
        isRecord(one)
          ? { path: textOrEmpty(one["path"]), reason: textOrEmpty(one["reason"]) }
          : null,
    ),
    licences: listOf(value["licences"], licenceOf),
    guide: guideOf(value["guide"]),
  };
}

function licenceOf(value: unknown): ToolLicence | null {
  if (!isRecord(value)) return null;
  const { title, text, url, accepted } = value;
  const { by, at } = isRecord(accepted) ? accepted : {};
  const day = textOrEmpty(at).slice(0, 10);
  return {
    title: textOrEmpty(title),
    text: textOrEmpty(text),
    url: textOrEmpty(url),
    accepted: day === "" ? "" : `accepted by ${textOrEmpty(by)} on ${day}`,
  };
}

function guideOf(value: unknown): ToolGuide | null {
  if (!isRecord(value)) return null;
  const { title, steps, url } = value;
  return { title: textOrEmpty(title), steps: textsOf(steps), url: textOrEmpty(url) };
}

/** The web build of a service that does not plan one: it needs no tools. */
const READY = { ready: true };

function lacksOf(value: unknown): TargetLacks {
  const { ready, missing, lacks, plan, unknown } = isRecord(value) ? value : {};
  const project = listOf(
    lacks,
    (one) =>
      isRecord(one)
        ? {
          name: textOrEmpty(one["name"]),
          reason: textOrEmpty(one["reason"]),
          fix: textOrEmpty(one["fix"]),
        }
        : null,
  );
  return {
    ready: ready === true && project.length === 0,
    project,
    plan: [...listOf(plan, factOf), ...listOf(unknown, factOf)],
    missing: listOf(missing, (one) =>
      isRecord(one)
        ? {
          id: textOrEmpty(one["id"]),
          reason: textOrEmpty(one["reason"]),
          fix: textOrEmpty(one["fix"]),
          canInstall: one["canAutoInstall"] === true,
        }
        : null),
  };
}

function factOf(value: unknown): PlannedFact | null {
  if (!isRecord(value)) return null;
  const { name, value: used, from, ok, why } = value;
  const known = typeof used === "string" ? used : null;
  // What keeps a build from starting is listed above.
  const note = ok === false ? "" : textOrEmpty(why);
  return { name: textOrEmpty(name), value: known, from: textOrEmpty(from), why: note };
}

/** The texts of a list. */
function textsOf(value: unknown): readonly string[] {
  return listOf(value, (one) => typeof one === "string" ? one : null);
}
