import type { Texture } from "three";
import { isRecord, type JsonObject } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import { numberIn, textIn } from "../../game/traits/mod.ts";
import type { WebContent } from "../content/mod.ts";
import { readJsonFile } from "./asset-file.ts";
import { colorOf, type PlainColor } from "./color.ts";
import type { Textures } from "./textures.ts";

/** The look of an emitter's particles. */
export interface ParticleLook {
  /** `null` for a square. */
  readonly image: Texture | null;
  /** The used part of the image, from 0 at its left and top to 1. */
  readonly part: {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  };
  readonly color: PlainColor;
  readonly endColor: PlainColor;
  /** Metres. */
  readonly size: number;
  readonly endSize: number;
  /** Seconds. */
  readonly lifetime: number;
  /** Metres a second. */
  readonly speed: number;
  /** Degrees. */
  readonly spread: number;
  /** Metres a second, each second; rises when negative. */
  readonly gravity: number;
}

const WHOLE = { left: 0, top: 0, right: 1, bottom: 1 };

/** Reads a `*.particle.json` with its image. */
export async function loadParticle(
  content: WebContent,
  textures: Textures,
  guid: string,
): Promise<Result<ParticleLook, string>> {
  const read = await readJsonFile(content, guid);
  if (!read.ok) return read;
  const fields = read.value.content;
  const { image, part } = await imageOf(content, textures, textIn(fields, "image"));
  const size = Math.max(0, numberIn(fields, "size", 0.1));
  return ok({
    image,
    part,
    color: colorOf(textIn(fields, "color"), "#ffffff"),
    endColor: colorOf(textIn(fields, "endColor"), "#ffffff00"),
    size,
    endSize: Math.max(0, numberIn(fields, "endSize", 0.1)),
    lifetime: Math.max(0.01, numberIn(fields, "lifetime", 1)),
    speed: numberIn(fields, "speed"),
    spread: Math.max(0, Math.min(180, numberIn(fields, "spread"))),
    gravity: numberIn(fields, "gravity"),
  });
}

/** Loads a texture, or the part of one that a sprite shows. */
async function imageOf(
  content: WebContent,
  textures: Textures,
  guid: string,
): Promise<Pick<ParticleLook, "image" | "part">> {
  if (guid === "") return { image: null, part: WHOLE };
  const isFile = content.asset(guid)?.path.endsWith(".json") === true;
  const sprite = isFile ? await readJsonFile(content, guid) : null;
  const rect = sprite?.ok === true ? sprite.value.content : content.settingsOf(guid)["rect"];
  const image = await textures.colors.whenLoaded(
    sprite?.ok === true ? textIn(sprite.value.content, "image") : guid,
  );
  return { image, part: image === null || !isRecord(rect) ? WHOLE : partOf(image, rect) };
}

function partOf({ width, height }: Texture, rect: JsonObject): ParticleLook["part"] {
  const [x, y] = [numberIn(rect, "x"), numberIn(rect, "y")];
  const [w, h] = [numberIn(rect, "w", width), numberIn(rect, "h", height)];
  return { left: x / width, top: y / height, right: (x + w) / width, bottom: (y + h) / height };
}
