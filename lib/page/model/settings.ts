import { isJsonValue, isRecord, type JsonValue } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { callService } from "../wire/service.ts";
import { commandFrom, commandText } from "./commands.ts";

// The settings of the project as a form has them: each by its place in `project.config.json`.

/** A setting that the user can change. */
export interface Setting {
  /** Its path: `["viewport", "width"]`. */
  readonly at: readonly [string, ...string[]];
  readonly title: string;
  /** Its purpose, in a sentence. */
  readonly doc: string;
  readonly kind: "text" | "number" | "boolean" | "scene" | "command" | "commands" | "words";
}

/** All settings by topic. */
export const SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  "Game": [
    { at: ["name"], title: "Name", doc: "Title for people.", kind: "text" },
    { at: ["startScene"], title: "Start scene", doc: "The game begins in it.", kind: "scene" },
    { at: ["editScene"], title: "Edit scene", doc: "The editor opens it first.", kind: "scene" },
    {
      at: ["icon"],
      title: "Icon",
      doc:
        "A square PNG of 512 pixels or more, or an SVG; the first letter of the name without one.",
      kind: "text",
    },
    {
      at: ["viewport", "width"],
      title: "Viewport width",
      doc: "Pixels that layout is computed for.",
      kind: "number",
    },
    { at: ["viewport", "height"], title: "Viewport height", doc: "The same.", kind: "number" },
  ],
  "Build": [
    {
      at: ["build", "web", "out"],
      title: "Web folder",
      doc: "The folder that a build fills; it is emptied first.",
      kind: "text",
    },
    {
      at: ["build", "web", "command"],
      title: "Web command",
      doc: "Run in place of Slipway's own build.",
      kind: "command",
    },
    {
      at: ["build", "android", "compileSdk"],
      title: "Android compile SDK",
      doc: "The platform level; by default that of its Gradle files.",
      kind: "number",
    },
    {
      at: ["build", "android", "steps"],
      title: "Android steps",
      doc: "Commands in order, one a line.",
      kind: "commands",
    },
    {
      at: ["build", "ios", "steps"],
      title: "iOS steps",
      doc: "Commands in order, one a line.",
      kind: "commands",
    },
  ],
  "Updates": [
    { at: ["ota", "enabled"], title: "Look for updates", doc: "The app does.", kind: "boolean" },
    {
      at: ["ota", "baseUrl"],
      title: "Public address",
      doc: "Players fetch updates from it.",
      kind: "text",
    },
    { at: ["ota", "bundleName"], title: "Bundle name", doc: "Such as harbor-run.", kind: "text" },
    {
      at: ["ota", "publicKey"],
      title: "Public key",
      doc: "Updates that another key signed are refused.",
      kind: "text",
    },
    {
      at: ["ota", "engineApi"],
      title: "Engine API",
      doc: "Grows when the app's native part changes.",
      kind: "number",
    },
    { at: ["ota", "channel"], title: "Channel", doc: "Such as beta.", kind: "text" },
    {
      at: ["publish", "bucket"],
      title: "Bucket",
      doc: "Releases are written there.",
      kind: "text",
    },
    {
      at: ["publish", "keyName"],
      title: "Signing key",
      doc: "Its name on this machine.",
      kind: "text",
    },
    {
      at: ["publish", "allow"],
      title: "Meant for everybody",
      doc: "Paths in the built folder that look private and are not, one a line.",
      kind: "words",
    },
  ],
  "This machine": [
    {
      at: ["devices", "bridge"],
      title: "Device bridge",
      doc: "Address of this editor for unpublished builds: ws://192.168.1.20:4747.",
      kind: "text",
    },
    {
      at: ["user", "sdk", "java"],
      title: "Java",
      doc: "A folder, instead of the one found.",
      kind: "text",
    },
    {
      at: ["user", "sdk", "android-sdk"],
      title: "Android SDK",
      doc: "A folder, instead of the one found.",
      kind: "text",
    },
  ],
};

/** Returns the value at a path, or `undefined`. */
export function settingIn(settings: unknown, at: Setting["at"]): unknown {
  return at.reduce<unknown>((value, name) => isRecord(value) ? value[name] : undefined, settings);
}

/** A setting as its field shows it. */
export function settingText({ kind }: Setting, value: unknown): string {
  if (value === undefined || value === null) return "";
  const list = Array.isArray(value) ? value : [];
  switch (kind) {
    case "command":
      return commandText(list.map(String));
    case "commands":
      return list.map((one: unknown) => commandText(wordsOf(one))).join("\n");
    case "words":
      return list.map(String).join("\n");
    default:
      return String(value);
  }
}

/**
 * Parses a field's text; `null` removes the setting. Invalid numbers stay text, and the service
 * refuses them.
 */
export function settingFrom({ kind }: Setting, text: string): JsonValue {
  const typed = text.trim();
  if (typed === "") return null;
  const lines = typed.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  switch (kind) {
    case "number":
      return Number.isFinite(Number(typed)) ? Number(typed) : typed;
    case "boolean":
      return typed === "true";
    case "command":
      return [...commandFrom(typed)];
    case "commands":
      return lines.map((line) => [...commandFrom(line)]);
    case "words":
      return lines;
    default:
      return typed;
  }
}

/** Reads all settings. */
export async function loadSettings(): Promise<Readonly<Record<string, unknown>> | Problem> {
  const answer = await callService("get_project");
  return answer.ok ? answer.value : answer.error;
}

/** Changes a setting. @returns A note for the user, or why it was refused. */
export async function changeSetting(
  { at }: Setting,
  value: JsonValue,
): Promise<{ readonly refused: Problem | null; readonly warnings: readonly string[] }> {
  const values = at.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);
  const answer = await callService("set_project_settings", isRecord(values) ? { values } : {});
  if (!answer.ok) return { refused: answer.error, warnings: [] };
  const { warnings } = answer.value;
  return { refused: null, warnings: Array.isArray(warnings) ? warnings.map(String) : [] };
}

/** A step is a command, or `{command: …}`. */
function wordsOf(step: unknown): readonly string[] {
  const words: unknown = isRecord(step) ? step["command"] : step;
  return Array.isArray(words) ? words.filter(isJsonValue).map(String) : [];
}
