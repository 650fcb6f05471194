// The floors of the house: which folder may know which (ARCHITECTURE, "The one law").

/** The areas, from the bottom up; those on one line do not import each other. */
const AREAS: readonly (readonly string[])[] = [
  ["lib/core"],
  ["lib/ports", "lib/ota-format"],
  ["lib/archive", "lib/programs", "lib/game", "lib/device-bridge"],
  [
    "lib/editor",
    "lib/toolchain",
    "lib/ota-client",
    "lib/ota-publish",
    "lib/ota-device",
    "lib/devices",
  ],
  ["lib/project", "lib/game-web"],
  ["lib/agent", "lib/page"],
  ["lib/http"],
  ["lib/service"],
  ["mod.ts", "adapters/node", "adapters/deno"],
  ["scripts", "tests"],
];

/**
 * The rooms inside an area, from the bottom up; those on one line are on one floor. Files directly
 * in the area's folder are above all its rooms.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  "lib/game": ["types", "geometry", "traits", "scene", "assets", "layout", "world", "play"],
  "lib/game-web": ["content", "input picture sound surface"],
  "lib/editor": [
    "ports",
    "files",
    "contract",
    "scene",
    "gltf",
    "assets",
    "history",
    "session",
    "measures",
    "gizmos",
    "editing",
    "authoring",
    "play",
    "diagnose",
  ],
  "lib/toolchain": [
    "pins",
    "tools",
    "work",
    "installed",
    "find",
    "download",
    "recipes",
    "bundle",
    "install",
  ],
  "lib/ota-publish": ["store", "file gcs s3"],
  "lib/page": ["wire", "model", "parts", "viewport panels dialogs"],
  "lib/devices": ["screen logs", "types picture", "evaluation", "devtools", "adb apple bridge"],
  "lib/project": [
    "config",
    "content icons jobs served",
    "audit building",
    "models updates captures",
    "phone",
  ],
  "lib/agent": ["answer", "declaration", "scene", "tools"],
  scripts: [
    "shared",
    "demo doctor reference replay run sample toolchain",
    "gate bench",
  ],
};

/** Arrows between areas of one floor that the house allows. */
const SIDEWAYS: Readonly<Record<string, string>> = {
  "adapters/deno": "adapters/node", // where Deno's own API is not better
  tests: "scripts", // they check the command lines and the gate too
};

export const PUBLIC_FLOOR: number = AREAS.findIndex((areas) => areas.includes("mod.ts"));
export const SCRIPTS_FLOOR: number = AREAS.findIndex((areas) => areas.includes("scripts"));

/** Place of a file. */
export interface Standing {
  readonly area: string;
  readonly floor: number;
  /** The room within the area, as a path; the area itself for its top files and without rooms. */
  readonly room: string;
  readonly roomFloor: number;
}

/** Returns the place of a file; `null` if it is on no floor. */
export function standingOf(path: string): Standing | null {
  const parts = path.split("/");
  const area = parts[0] === "lib" || parts[0] === "adapters"
    ? parts.slice(0, 2).join("/")
    : parts[0] ?? "";
  const floor = AREAS.findIndex((areas) => areas.includes(area));
  if (floor < 0) return null;
  const rooms = ROOMS[area];
  const [room, ...below] = path.slice(area.length + 1).split("/");
  if (room === undefined || below.length === 0 || area === "tests") {
    return { area, floor, room: area, roomFloor: rooms?.length ?? 0 };
  }
  const roomFloor = rooms?.findIndex((names) => names.split(" ").includes(room)) ?? -1;
  return roomFloor < 0 ? null : { area, floor, room: `${area}/${room}`, roomFloor };
}

/** Returns a sentence against an arrow that does not point down, otherwise `null`. */
export function judgeArrow(from: Standing, to: Standing): string | null {
  if (from.area !== to.area) {
    return to.floor < from.floor || SIDEWAYS[from.area] === to.area
      ? null
      : `${from.area} (floor ${from.floor}) imports ${to.area} (floor ${to.floor}): ` +
        "expected its own folder or a lower floor";
  }
  return from.room === to.room || to.roomFloor < from.roomFloor
    ? null
    : `${from.room} (floor ${from.roomFloor} of ${from.area}) imports ${to.room} ` +
      `(floor ${to.roomFloor}): expected its own room or a lower one`;
}
