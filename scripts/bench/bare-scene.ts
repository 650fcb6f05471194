import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import { parseJsonFile } from "../../lib/core/json-text.ts";
import { SceneHost } from "../../lib/game/play/mod.ts";
import { isOn, numberIn, textIn } from "../../lib/game/traits/mod.ts";
import { type LiveEntity, LiveWorld } from "../../lib/game/world/mod.ts";
import type { WebContent } from "../../lib/game-web/content/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";

/** What `pages/bare.js` shows of a scene: the 3D layer as it stands before its first step. */
export async function bareScene(
  content: WebContent,
  scene: string,
  { folder, clock }: { readonly folder: string; readonly clock: Clock },
): Promise<JsonValue> {
  const host = await SceneHost.open(content, scene, { clock, viewport: { width: 1, height: 1 } });
  if (!host.ok) throw new Error(host.error.detail);
  const world = new LiveWorld(host.value.document.entities(), 0);
  const matrixOf = (entity: LiveEntity): number[] => {
    const { linear: [a, b, c, d, e, f, g, h, i], offset: [x, y, z] } = world.placeOf(entity).affine;
    return [a, d, g, 0, b, e, h, 0, c, f, i, 0, x, y, z, 1];
  };
  const fileOf = (guid: string): JsonObject => {
    const path = content.asset(guid)?.path ?? "";
    const read = parseJsonFile(path, readFileSync(join(folder, path)));
    return read.ok && isJsonObject(read.value) ? read.value : {};
  };
  const urlOf = (guid: string) => content.asset(guid)?.path ?? null;
  const shapes = new Places();
  const materials = new Places();
  const things = world.having("Renderable3D").flatMap((entity) => {
    const fields = entity.traits["Renderable3D"];
    if (entity.layer !== "3d" || !isOn(fields, "visible")) return [];
    const [mesh, model] = [textIn(fields, "mesh"), textIn(fields, "model")];
    const material = textIn(fields, "material");
    const isFile = mesh === "model" && urlOf(model)?.endsWith(".json") === true;
    return [{
      shape: shapes.of(`${mesh} ${mesh === "model" ? model : ""}`, () => ({
        mesh,
        url: mesh === "model" && !isFile ? urlOf(model) : null,
        corners: isFile ? cornersIn(fileOf(model)) : null,
      })),
      material: material === "" ? -1 : materials.of(material, () => {
        const file = fileOf(material);
        const texture = textIn(file, "texture");
        return {
          color: textIn(file, "color") || "#ffffff",
          texture: texture === "" ? null : urlOf(texture),
          roughness: numberIn(file, "roughness", 1),
          metalness: numberIn(file, "metallic"),
          emissive: textIn(file, "emissive") || "#000000",
        };
      }),
      matrix: matrixOf(entity),
      castShadow: isOn(fields, "castShadow"),
      receiveShadow: isOn(fields, "receiveShadow"),
    }];
  });
  const eye = world.having("Camera").find(({ layer, traits }) =>
    layer === "3d" && isOn(traits["Camera"], "active")
  );
  const sky = world.having("Sky").find(({ layer }) => layer === "3d")?.traits["Sky"];
  if (eye === undefined) throw new Error(`${scene} has no camera`);
  return {
    eye: {
      matrix: matrixOf(eye),
      fov: numberIn(eye.traits["Camera"], "fov", 60),
      near: numberIn(eye.traits["Camera"], "near", 0.1),
      far: numberIn(eye.traits["Camera"], "far", 1000),
    },
    sky: {
      ...fileOf(textIn(sky, "environment")),
      fogStart: numberIn(sky, "fogStart"),
      fogEnd: numberIn(sky, "fogEnd"),
    },
    lights: world.having("Light").filter(({ layer }) => layer === "3d").map((entity) => {
      const fields = entity.traits["Light"];
      return {
        kind: textIn(fields, "kind"),
        color: textIn(fields, "color"),
        intensity: numberIn(fields, "intensity", 1),
        matrix: matrixOf(entity),
        range: numberIn(fields, "range", 10),
        angle: numberIn(fields, "angle", 45) / 2 * Math.PI / 180,
        castShadow: fields?.["castShadow"] === true,
      };
    }),
    shapes: shapes.all,
    materials: materials.all,
    things,
  };
}

/** Things by key, each once, at its place in a list. */
class Places {
  readonly all: JsonValue[] = [];
  readonly #byKey = new Map<string, number>();

  of(key: string, make: () => JsonValue): number {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const place = this.all.push(make()) - 1;
    this.#byKey.set(key, place);
    return place;
  }
}

function cornersIn(file: JsonObject): JsonValue {
  const flat = (name: string) => {
    const list = file[name];
    return Array.isArray(list) ? list.flat() : [];
  };
  return { positions: flat("positions"), triangles: flat("triangles") };
}
