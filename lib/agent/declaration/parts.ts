import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Editor } from "../../editor/ports/mod.ts";
import type { Services } from "./services.ts";

// Optional parts of an editor or a service: tools that need a missing part answer 503 `no-<part>`.

/** Parts that an editor may lack, by their names in error codes, with their names in refusals. */
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

/** Parts that a service may run without, with their names in refusals. */
const SERVICE_PARTS: Readonly<Record<ServicePart, string>> = {
  builds: "a project that can be built",
  captures: "a project on disk to store captures in",
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

/** The parts that a service may run without. */
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

/** Returns a part of the editor. @returns 503 `no-<part>` if the editor does not have it. */
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

/** Returns a part of the service. @returns 503 `no-<part>` if the service does not have it. */
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
