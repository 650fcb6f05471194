import {
  ClampToEdgeWrapping,
  LinearFilter,
  LinearMipmapLinearFilter,
  MirroredRepeatWrapping,
  NearestFilter,
  NoColorSpace,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
} from "three";
import type { JsonObject } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import { textureBytes } from "../../game/assets/mod.ts";
import { textIn } from "../../game/traits/mod.ts";
import { RAW_PIXELS, type WebContent } from "../content/mod.ts";
import { readFile } from "./asset-file.ts";
import { Loaded, type LoadNotes } from "./loaded.ts";

const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

/** The images that surfaces are drawn with. */
export class Textures {
  /** Colours, which are stored as a screen shows them. */
  readonly colors: Loaded<Texture>;
  /** Anything else: each channel a number from 0 to 1. */
  readonly numbers: Loaded<Texture>;

  constructor(
    content: WebContent,
    notes: LoadNotes,
  ) {
    this.colors = new Loaded((guid) => loadTexture(content, guid, SRGBColorSpace), notes);
    this.numbers = new Loaded((guid) => loadTexture(content, guid, NoColorSpace), notes);
  }

  /** Disposes of all others. */
  keep(used: ReadonlySet<Texture>): void {
    for (const kind of [this.colors, this.numbers]) {
      kind.keep((texture) => used.has(texture), (texture) => texture.dispose());
    }
  }
}

async function loadTexture(
  content: WebContent,
  guid: string,
  colorSpace: typeof SRGBColorSpace | typeof NoColorSpace,
): Promise<Result<Texture, string>> {
  const read = await readFile(content, guid, MAX_IMAGE_BYTES);
  if (!read.ok) return read;
  const { image, free } = await content.pictures.decode(
    read.value.bytes,
    textureBytes,
    RAW_PIXELS,
  );
  const texture = new Texture(image);
  texture.addEventListener("dispose", free);
  texture.colorSpace = colorSpace;
  texture.flipY = false; // as glTF: the first row is at v = 0
  applySettings(texture, content.settingsOf(guid));
  texture.needsUpdate = true;
  return ok(texture);
}

/** Applies the texture settings of the sidecar: `filter` and `wrap`. */
function applySettings(texture: Texture, settings: JsonObject): void {
  const isPixelArt = textIn(settings, "filter") === "nearest";
  texture.magFilter = isPixelArt ? NearestFilter : LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.wrapS = texture.wrapT = WRAPS[textIn(settings, "wrap")] ?? RepeatWrapping;
  texture.anisotropy = isPixelArt ? 1 : 4;
}

const WRAPS: Readonly<Record<string, Texture["wrapS"]>> = {
  clamp: ClampToEdgeWrapping,
  mirror: MirroredRepeatWrapping,
};
