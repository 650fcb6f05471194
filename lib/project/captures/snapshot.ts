import type { JsonValue } from "../../core/json.ts";
import { decodeUtf8 } from "../../core/bytes.ts";
import type {
  DrawTask,
  Entity,
  LiveValues,
  Rect,
  TraitFields,
  Vec3,
  Viewport,
} from "../../editor/ports/mod.ts";
import { eulerOf, multiply, rotationOf } from "../../game/geometry/mod.ts";
import { serializeScene } from "../../game/scene/mod.ts";
import { acceptsValue, TraitRegistry } from "../../game/traits/mod.ts";

/** A scene in its current state, to be drawn. */
export interface SceneSnapshot {
  /** In document order; of the edited scene, or of a running world. */
  readonly entities: readonly Entity[];
  /** Steps of the game; 0 of a scene that is edited. */
  readonly tick: number;
  /** The same of frames that follow each other. */
  readonly sequence?: string | undefined;
  /** Pixels of the picture, which the layout counts in as well. */
  readonly screen: Viewport;
  /** The part to draw; the complete scene when absent. */
  readonly region?: Rect | undefined;
  /** A camera other than the scene's. */
  readonly camera?: CameraView | undefined;
}

/** The position and view of a picture. */
export interface CameraView {
  /** Metres. */
  readonly position: Vec3;
  /** Point in the middle of the picture. */
  readonly target: Vec3;
  /** Degrees from the lower edge to the upper one. */
  readonly fov: number;
}

/** No scene has a camera of a higher priority. */
const FIRST = Number.MAX_SAFE_INTEGER;
/** No other entity has this guid. */
const CAMERA_GUID = "ca97e5a0-0000-4000-8000-000000000001";

/** Writes a scene for a page: the text of a scene file, with the extra state of a running game. */
export function sceneOf({ entities, camera }: SceneSnapshot): Pick<DrawTask, "scene" | "live"> {
  const registry = new TraitRegistry();
  const live: LiveValues[] = [];
  const drawn = entities.map((entity) => {
    const traits: Record<string, TraitFields> = {};
    for (const [trait, values] of Object.entries(entity.traits)) {
      const schema = registry.get(trait);
      if (schema === undefined) continue; // a game's own trait draws nothing, and the page does not have it
      const own: Record<string, JsonValue> = {};
      const beside: Record<string, string | number | boolean> = {};
      for (const [name, value] of Object.entries(values)) {
        const field = schema.fields[name];
        if (field !== undefined && acceptsValue(field, value)) own[name] = value;
        else if (isPlain(value)) beside[name] = value;
      }
      traits[trait] = own;
      const { guid } = entity;
      if (Object.keys(beside).length > 0) live.push({ guid, trait, fields: beside });
    }
    return { ...entity, traits };
  });
  const all = camera === undefined ? drawn : [...drawn, cameraEntity(camera, entities)];
  return { scene: decodeUtf8(serializeScene("Capture", all, registry)) ?? "", live };
}

function isPlain(value: JsonValue): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function cameraEntity({ position, target, fov }: CameraView, entities: readonly Entity[]): Entity {
  const [x, y, z] = position;
  const [right, up, back] = [target[0] - x, target[1] - y, z - target[2]];
  const degrees = 180 / Math.PI;
  // A camera looks along -z.
  const pitch = Math.atan2(up, Math.hypot(right, back)) * degrees;
  const yaw = Math.atan2(-right, back) * degrees;
  const [rx, ry, rz] = eulerOf(multiply(rotationOf([0, yaw, 0]), rotationOf([pitch, 0, 0])));
  const id = entities.reduce((most, entity) => Math.max(most, entity.id), 0) + 1;
  return {
    id,
    guid: CAMERA_GUID,
    name: "Capture camera",
    parentId: null,
    layer: "3d",
    traits: {
      Transform: { x, y, z, rx, ry, rz },
      Camera: { fov, priority: FIRST },
    },
  };
}
