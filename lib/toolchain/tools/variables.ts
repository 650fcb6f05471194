import { nearestNames } from "../../core/nearest.ts";
import { BUILD_ENV } from "../../core/secrets.ts";
import type { Host } from "../../ports/host.ts";
import type { ToolDescriptor } from "./descriptor.ts";
import { TOOL_IDS } from "./ids.ts";
import { DESCRIPTORS } from "./tools.ts";
import type { Detection } from "./types.ts";

// The environment variables of this program: what they do, and which of them are not followed.

/** A variable that people may set. */
export interface Variable {
  /** Name of the variable. */
  readonly name: string;
  /** Its effect, in one line. */
  readonly doc: string;
}

/** The variables of the toolchain that name no tool. */
export const TOOLCHAIN_VARIABLES: readonly Variable[] = [
  { name: "SVC_TOOLCHAIN_DIR", doc: "the toolchain folder, an absolute path" },
  { name: "SVC_ALLOW_SYSTEM_TOOLCHAIN", doc: "1: system-installed tools are used" },
  { name: "SVC_PACKAGED", doc: "1: the packaged editor, which uses its own tools alone" },
  { name: "SVC_PROVISION_NODE", doc: "1: npm runs on the editor's own Node" },
  {
    name: "SVC_TOOLCHAIN_MIRRORS",
    doc: 'other servers to download from: {"URL prefix": "its replacement"}',
  },
];

/** The variables that name a tool, in the order of the tools. */
export function toolVariables(): readonly Variable[] {
  return TOOL_IDS.flatMap((id) => {
    const { kind, env } = DESCRIPTORS[id];
    const what = kind === "binary" ? "program" : "folder";
    return env.map(({ name }) => ({ name, doc: `the ${what} to use as ${id}, an absolute path` }));
  });
}

/** Variables of other parts of this program, known here so that they are not reported as mistakes. */
const ELSEWHERE = [
  "SVC_TOKEN",
  "SVC_OTA_KEY",
  "SVC_OTA_KEY_FILE",
  "SVC_DEBUG",
  "SVC_CHROMIUM",
  BUILD_ENV,
];

/** Names that begin like this program's own and are unknown, with what may have been meant. */
export function mistypedVariables(host: Pick<Host, "platform" | "environment">): string[] {
  const known = [...TOOLCHAIN_VARIABLES, ...toolVariables()].map(({ name }) => name);
  const all = [...known, ...ELSEWHERE].filter((name) => name.startsWith(PREFIX));
  return Object.keys(host.environment()).flatMap((name) => {
    const upper = name.toUpperCase();
    const isKnown = all.includes(host.platform === "win32" ? upper : name);
    if (!upper.startsWith(PREFIX) || isKnown) return [];
    // The prefix that all share would make strangers look alike.
    const [meant] = nearestNames(
      upper.slice(PREFIX.length),
      all.map((each) => each.slice(PREFIX.length)),
      1,
    );
    return meant === undefined
      ? []
      : [`${name} is set, and there is no such variable: did you mean ${PREFIX}${meant}?`];
  });
}

const PREFIX = "SVC_";

/** Finds places that were skipped although the user, or an installation, meant them. */
export function passedOver(
  detection: Detection,
  { env }: ToolDescriptor,
  host: Pick<Host, "env">,
): string[] {
  if (!detection.present) return []; // there the reason says it
  return detection.tried.slice(0, -1).flatMap(({ path, source, reason }) => {
    if (source === "own" && reason.startsWith("damaged: ")) return [`the own copy is ${reason}`];
    if (source !== "env" && source !== "bundled") return [];
    const name = env.find(({ name, scope }) => scope === "editor" && host.env(name)?.includes(path))
      ?.name;
    if (name === undefined) return [];
    const why = reason.startsWith(`${name} names it: `)
      ? reason.slice(`${name} names it: `.length)
      : reason;
    return [`${name} names ${path}: ${why}`];
  });
}
