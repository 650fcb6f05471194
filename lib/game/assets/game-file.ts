import { encodeUtf8 } from "../../core/bytes.ts";
import { isGuid } from "../../core/guid.ts";
import { compareCodeUnits, isJsonObject, isRecord, type JsonObject } from "../../core/json.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import { checkPath } from "../../core/paths.ts";
import { err, fail, type Failure, ok, type Result } from "../../core/result.ts";
import { Complaints } from "../../core/shape.ts";
import type { Bounds } from "../geometry/bounds.ts";
import type { Asset, Vec3, Viewport } from "../types/mod.ts";
import { ASSET_TYPES } from "./asset-types.ts";

// Description of a built game: written by a build, read by the page that plays it.

/** Name of the file, next to the page of a built game. */
export const GAME_FILE = "game.json";
/** Its largest size, in bytes. */
export const MAX_GAME_BYTES: number = 64 * 1024 * 1024;

const MAX_ASSETS = 100_000;
const MAX_TEXT = 4_096;
const MAX_PIXELS = 65_536;
const MAX_SECONDS = 36_000;
const MAX_VIEWPORT = 16_384;

/** Default screen of a game. */
export const DEFAULT_VIEWPORT: Viewport = { width: 1280, height: 720 };

/** An asset of a built game; its file is at its path. */
export interface GameAsset extends Asset {
  /** The size of an image. */
  readonly pixels?: { readonly width: number; readonly height: number };
  /** The box around a model, in metres. */
  readonly bounds?: Bounds;
  /** The length of a sound. */
  readonly seconds?: number;
  /** Other settings of its sidecar: how an image is filtered, which part of it is used. */
  readonly settings?: JsonObject;
  /** Changes with its file or sidecar; absent if neither ever changes. */
  readonly stamp?: string;
}

/** Update source of a built game. */
interface GameUpdates {
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly bundleName: string;
  readonly app?: string;
  readonly channel?: string;
}

/** The content of `game.json`. */
export interface GameFile {
  /** Name for people. */
  readonly name: string;
  /** The path of the scene that it begins in. */
  readonly startScene: string;
  /** CSS pixels: the screen that it is made for. */
  readonly viewport: Viewport;
  /** The level of the app that it needs. */
  readonly engineApi: number;
  /** `null` if updates are off. */
  readonly ota: GameUpdates | null;
  readonly assets: readonly GameAsset[];
  /** Paths of files that are not assets but that models may reference; absent if there are none. */
  readonly beside?: readonly string[];
}

/** The bytes of a `game.json`; the same game gives the same. */
export function serializeGameFile({ assets, ...game }: GameFile): Uint8Array<ArrayBuffer> {
  // One line per asset, so that a change of one changes little of the file.
  const lines = [...assets].sort((a, b) => compareCodeUnits(a.path, b.path))
    .map((asset) => JSON.stringify(asset));
  const head = JSON.stringify({ schema: 1, ...game }).slice(0, -1);
  return encodeUtf8(`${head},"assets":[\n${lines.join(",\n")}\n]}\n`);
}

/** Parses a `game.json`, all or nothing. @returns A sentence for each invalid member. */
export function parseGameFile(
  bytes: Uint8Array,
): Result<GameFile, Failure<"not-json" | "too-large" | "invalid-game">> {
  if (bytes.length > MAX_GAME_BYTES) {
    return fail(
      "too-large",
      `Cannot read ${GAME_FILE}: found ${bytes.length} bytes, expected at most ${MAX_GAME_BYTES}`,
    );
  }
  const parsed = parseJsonFile(GAME_FILE, bytes);
  if (!parsed.ok) return parsed;
  const complaints = new Complaints();
  const game = readGame(parsed.value, complaints);
  if (game !== null && complaints.total === 0) return ok(game);
  return err({
    code: "invalid-game",
    message: `Cannot use ${GAME_FILE}: ${complaints.sentences().join("; ")}`,
    next: "Build the game again",
  });
}

function readGame(value: unknown, complaints: Complaints): GameFile | null {
  const record = complaints.record("", value, [
    "schema",
    "name",
    "startScene",
    "viewport",
    "engineApi",
    "ota",
    "assets",
    "beside",
  ]);
  if (record === null) return null;
  if (record["schema"] !== 1) {
    complaints.expected("schema", record["schema"], "1");
    return null; // another schema makes no promise about the rest
  }
  const name = complaints.words("name", record["name"], MAX_TEXT);
  const startScene = readPath("startScene", record["startScene"], complaints);
  const viewport = readSize("viewport", record["viewport"], MAX_VIEWPORT, complaints);
  const engineApi = readNumber("engineApi", record["engineApi"], complaints, {
    least: 1,
    most: Number.MAX_SAFE_INTEGER,
    isWhole: true,
  });
  const ota = record["ota"] === null ? null : readUpdates(record["ota"], complaints);
  const listed: unknown = record["assets"];
  if (!Array.isArray(listed) || listed.length > MAX_ASSETS) {
    complaints.expected("assets", listed, `a list of at most ${MAX_ASSETS}`);
    return null;
  }
  const assets = listed.map((asset: unknown, index) =>
    readAsset(`assets[${index}]`, asset, complaints)
  ).filter((asset) => asset !== null);
  const beside = record["beside"] === undefined ? null : readBeside(record["beside"], complaints);
  if (name === null || startScene === null || viewport === null || engineApi === null) return null;
  return {
    name,
    startScene,
    viewport,
    engineApi,
    ota,
    assets,
    ...(beside !== null && { beside }),
  };
}

function readBeside(value: unknown, complaints: Complaints): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_ASSETS) {
    complaints.expected("beside", value, `a list of at most ${MAX_ASSETS}`);
    return [];
  }
  return value.map((path: unknown, index) => readPath(`beside[${index}]`, path, complaints))
    .filter((path) => path !== null);
}

function readUpdates(value: unknown, complaints: Complaints): GameUpdates | null {
  const members = ["baseUrl", "publicKey", "bundleName", "app", "channel"];
  const record = complaints.record("ota", value, members);
  if (record === null) return null;
  const text = (name: string) => complaints.words(`ota.${name}`, record[name], MAX_TEXT) ?? "";
  return {
    baseUrl: text("baseUrl"),
    publicKey: text("publicKey"),
    bundleName: text("bundleName"),
    ...(record["app"] !== undefined && { app: text("app") }),
    ...(record["channel"] !== undefined && { channel: text("channel") }),
  };
}

function readAsset(where: string, value: unknown, complaints: Complaints): GameAsset | null {
  const record = complaints.record(where, value, [
    "guid",
    "path",
    "name",
    "type",
    "size",
    "pixels",
    "bounds",
    "seconds",
    "settings",
    "stamp",
  ]);
  if (record === null) return null;
  const { guid, name, settings } = record;
  const isGood = typeof guid === "string" && isGuid(guid);
  if (!isGood) complaints.expected(`${where}.guid`, guid, "a dashed UUID in lower case");
  const path = readPath(`${where}.path`, record["path"], complaints);
  if (typeof name !== "string") complaints.expected(`${where}.name`, name, "text");
  const type = ASSET_TYPES.find((one) => one === record["type"]);
  if (type === undefined) {
    complaints.expected(`${where}.type`, record["type"], `one of ${ASSET_TYPES.join(", ")}`);
  }
  const size = readNumber(`${where}.size`, record["size"], complaints, {
    least: 0,
    most: Number.MAX_SAFE_INTEGER,
    isWhole: true,
  });
  const read = <T>(name: string, reading: (where: string, value: unknown) => T | null) =>
    record[name] === undefined ? null : reading(`${where}.${name}`, record[name]);
  const pixels = read("pixels", (at, value) => readSize(at, value, MAX_PIXELS, complaints));
  const bounds = read("bounds", (at, value) => readBounds(at, value, complaints));
  const seconds = read(
    "seconds",
    (at, value) => readNumber(at, value, complaints, { least: 0, most: MAX_SECONDS }),
  );
  const stamp = read("stamp", (at, value) => complaints.words(at, value, MAX_TEXT));
  if (settings !== undefined && !isJsonObject(settings)) {
    complaints.expected(`${where}.settings`, settings, "an object");
    return null;
  }
  if (!isGood || path === null || typeof name !== "string") return null;
  if (type === undefined || size === null) return null;
  return {
    guid,
    path,
    name,
    type,
    size,
    ...(pixels !== null && { pixels }),
    ...(bounds !== null && { bounds }),
    ...(seconds !== null && { seconds }),
    ...(settings !== undefined && { settings }),
    ...(stamp !== null && { stamp }),
  };
}

function readPath(where: string, value: unknown, complaints: Complaints): string | null {
  if (typeof value === "string" && checkPath(value).ok) return value;
  complaints.expected(where, value, "a path relative to the game");
  return null;
}

function readSize(
  where: string,
  value: unknown,
  most: number,
  complaints: Complaints,
): Viewport | null {
  const record = complaints.record(where, value, ["width", "height"]);
  if (record === null) return null;
  const side = (name: "width" | "height") =>
    readNumber(`${where}.${name}`, record[name], complaints, { least: 0, most });
  const [width, height] = [side("width"), side("height")];
  return width === null || height === null ? null : { width, height };
}

function readBounds(where: string, value: unknown, complaints: Complaints): Bounds | null {
  const [min, max] = isRecord(value) ? [corner(value["min"]), corner(value["max"])] : [null, null];
  if (min !== null && max !== null) return { min, max };
  complaints.expected(where, value, "{min: [x, y, z], max: [x, y, z]} in metres");
  return null;
}

function corner(value: unknown): Vec3 | null {
  if (!Array.isArray(value) || value.length !== 3) return null;
  const [x, y, z]: readonly unknown[] = value;
  const isNumber = (side: unknown): side is number =>
    typeof side === "number" && Number.isFinite(side);
  return isNumber(x) && isNumber(y) && isNumber(z) ? [x, y, z] : null;
}

function readNumber(
  where: string,
  value: unknown,
  complaints: Complaints,
  { least, most, isWhole = false }: {
    readonly least: number;
    readonly most: number;
    readonly isWhole?: boolean;
  },
): number | null {
  const isGood = typeof value === "number" && value >= least && value <= most &&
    (!isWhole || Number.isSafeInteger(value));
  if (isGood) return value;
  complaints.expected(
    where,
    value,
    `a ${isWhole ? "whole " : ""}number from ${least} to ${most}`,
  );
  return null;
}
