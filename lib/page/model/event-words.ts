import { type JsonObject, type JsonValue, own } from "../../core/json.ts";
import type { EditorEvent } from "../../editor/ports/mod.ts";
import { textOrEmpty } from "../wire/read.ts";

// Editor events in people's words. An event of another editor, whose type and members may be
// anything, is described by its type and members.

/**
 * Describes an event. @param nameOf Returns the name of an entity, `undefined` if it was removed.
 */
export function eventWords(
  { type, payload }: Pick<EditorEvent, "type" | "payload">,
  nameOf: (id: number) => string | undefined,
): string {
  const fields = isObject(payload) ? payload : {};
  const said = own(WORDS, type)?.(fields, (id) => {
    const name = typeof id === "number" ? nameOf(id) : undefined;
    return name === undefined ? `entity ${plain(id)}` : `“${name}”`;
  });
  return said ?? `${type.replaceAll("-", " ")} ${members(fields)}`.trim();
}

type Fields = JsonObject;
type Naming = (id: JsonValue | undefined) => string;

const path = ({ path }: Fields) => plain(path);

const WORDS: Readonly<Record<string, (fields: Fields, named: Naming) => string>> = {
  "play": () => "started the game",
  "pause": ({ tick }) => `paused the game at step ${plain(tick)}`,
  "stop": ({ tick }) => `stopped the game at step ${plain(tick)}`,
  "step": ({ ticks }) => ticks === 1 ? "played one step" : `played ${plain(ticks)} steps`,
  "time-scale": ({ scale }) => `set the game's speed to ${plain(scale)}×`,
  "save-round": (fields) => `saved the round as ${path(fields)}`,
  "replay": (fields) => `replayed ${path(fields)}, ${plain(fields["ticks"])} steps`,
  "dispatch": ({ action }) => `action “${plain(action)}”`,
  "play-clip": ({ id, clip }, named) => `plays the clip ${plain(clip)} of ${named(id)}`,
  "input": inputWords,
  "view": viewWords,
  "save": (fields) => `saved ${path(fields)}`,
  "scene-open": (fields) => `opened ${path(fields)}`,
  "scene-new": (fields) => `began the scene ${path(fields)}`,
  "scene-reload": (fields) => `${path(fields)} was changed on the disk and read again`,
  "project-create": (fields) => `made ${path(fields)} for a new project`,
  "prefab-create": (fields) => `made the prefab ${path(fields)}`,
  "asset-create": (fields) => `made ${path(fields)}`,
  "asset-write": (fields) => `wrote ${path(fields)}`,
  "asset-meta": (fields) => `set the import settings of ${path(fields)}`,
  "asset-move": (fields) => `moved ${plain(fields["from"])} to ${path(fields)}`,
  "asset-remove": (fields) => `deleted ${path(fields)}`,
  "asset-import": ({ file, path }) => `imported ${plain(file)} as ${plain(path)}`,
  "project-settings": ({ names }) => `set ${plain(names)} of the project`,
  "undo": ({ label }) => `undid “${plain(label)}”`,
  "redo": ({ label }) => `did “${plain(label)}” again`,
};

/** The names of keys and phases, as people say them. */
const KEY_PHASE: Readonly<Record<string, string>> = {
  down: "pressed",
  up: "let go",
  press: "pressed and let go",
};
const POINTER_PHASE: Readonly<Record<string, string>> = {
  down: "pressed",
  move: "moved",
  up: "let go",
  cancel: "gone",
};

/** Describes a player's input; the members are those of `InputEvent`. */
function inputWords(event: Fields, named: Naming): string {
  const { kind, phase } = event;
  const at = `${plain(event["x"])}, ${plain(event["y"])}`;
  switch (kind) {
    case "tap":
      return `tap at ${at}`;
    case "pointer": {
      const { id } = event;
      const which = typeof id === "number" && id > 0 ? `pointer ${id + 1}` : "pointer";
      return `${which} ${own(POINTER_PHASE, textOrEmpty(phase)) ?? plain(phase)} at ${at}`;
    }
    case "wheel":
      return `wheel turned by ${plain(event["dy"])} at ${at}`;
    case "key":
      return `key ${keyName(plain(event["code"]))} ${
        own(KEY_PHASE, textOrEmpty(phase)) ?? plain(phase)
      }`;
    case "gamepad": {
      const [held, axes] = [plain(event["buttons"] ?? []), plain(event["axes"] ?? [])];
      return `gamepad: ${held === "" ? "no button" : `buttons ${held}`} down${
        axes === "" ? "" : `, sticks at ${axes}`
      }`;
    }
    case "action":
      return `action “${plain(event["action"])}”`;
    case "resize":
      return `the screen is ${plain(event["width"])} × ${plain(event["height"])}`;
    case "clip":
      return `plays the clip ${plain(event["clip"])} of ${named(event["target"])}`;
    case "seek":
      return `took the timeline of ${named(event["target"])} to ${plain(event["time"])} s`;
    default:
      return `input ${members(event)}`;
  }
}

/** Names a key: `KeyW` is W, `ArrowLeft` is Left. */
function keyName(code: string): string {
  const [, letter, arrow] = /^(?:(?:Key|Digit)(\w)|Arrow(\w+))$/.exec(code) ?? [];
  return letter ?? arrow ?? code;
}

const GIZMOS: Readonly<Record<string, string>> = {
  translate: "moving",
  rotate: "turning",
  scale: "scaling",
};

function viewWords(change: Fields, named: Naming): string {
  const { mode, gizmo, focus, viewport, ...others } = change;
  const use = isObject(gizmo) ? gizmo : {};
  const parts = [
    mode === undefined ? "" : `looked at the ${plain(mode).toUpperCase()} layer`,
    use["mode"] === undefined
      ? ""
      : `took the tool for ${own(GIZMOS, plain(use["mode"])) ?? "shaping"}`,
    use["space"] === undefined ? "" : `along the ${plain(use["space"])} axes`,
    typeof focus === "number" ? `focused on ${named(focus)}` : "",
    isObject(viewport)
      ? `set the screen to ${plain(viewport["width"])} × ${plain(viewport["height"])}`
      : "",
    members(others),
  ];
  return parts.filter((part) => part !== "").join(", ") || "looked elsewhere";
}

/** `path harbor.json, bytes 12`. */
function members(fields: Fields): string {
  return Object.entries(fields).map(([name, value]) => `${name} ${plain(value)}`).join(", ");
}

/** A value without the marks of JSON. */
function plain(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return isObject(value) ? members(value) : String(value ?? "none");
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
