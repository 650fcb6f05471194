import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Editor } from "../../editor/ports/mod.ts";
import type { Services } from "./services.ts";

// Optional parts of an editor or a service: tools that need a missing one answer 503 `no-<part>`.

/** Parts that an editor may lack, each as a code and a refusal name it. */
const EDITOR_PARTS: Readonly<Record<EditorPart, string>> = {
  authoring: "authoring",
  changes: "changes",
  editing: "editing",
  journals: "journal",
  play: "play",
  poses: "poses",
  prefabs: "prefabs",
  view: "view",
  watches: "watches",
};

/** Parts that a service may be started without, each in words. */
const SERVICE_PARTS: Readonly<Record<ServicePart, string>> = {
  builds: "a project that can be built",
  captures: "a project on a disk that captures are kept in",
  devices: "devices",
  installs: "a toolchain that installs",
  jobs: "jobs",
  phone: "a project that a simulated phone can have",
  project: "a project on a disk",
  toolchain: "a toolchain",
  updates: "a project that can be published",
};

/** The parts that an editor may lack. */
export type EditorPart =
  | "authoring"
  | "changes"
  | "editing"
  | "journals"
  | "play"
  | "poses"
  | "prefabs"
  | "view"
  | "watches";

/** The parts that a service may be started without. */
export type ServicePart =
  | "builds"
  | "captures"
  | "devices"
  | "installs"
  | "jobs"
  | "phone"
  | "project"
  | "toolchain"
  | "updates";

/** A part of the editor. @returns 503 `no-<part>` where it has none. */
export function editorPart<Name extends EditorPart>(
  { editor }: Services,
  name: Name,
): Result<NonNullable<Editor[Name]>, Problem> {
  const part = EDITOR_PARTS[name];
  const detail = `This editor has no ${part} that can be reached from here`;
  return editor[name]
    ? ok(editor[name])
    : refuse(503, `no-${part}`, detail, "Use the editor itself");
}

/** A part of the service. @returns 503 `no-<part>` where it has none. */
export function servicePart<Name extends ServicePart>(
  services: Services,
  name: Name,
): Result<NonNullable<Services[Name]>, Problem> {
  const part = services[name];
  return part ? ok(part) : refuse(
    503,
    `no-${name}`,
    `This service was started without ${SERVICE_PARTS[name]}`,
    `Start it with Slipway's start command, or give the handler ${name}`,
  );
}
