import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import { parseJsonFile } from "../../lib/core/json-text.ts";
import { RunningGame, SceneHost } from "../../lib/game/play/mod.ts";
import { isOn, numberIn, textIn } from "../../lib/game/traits/mod.ts";
import type { LiveEntity, LiveWorld } from "../../lib/game/world/mod.ts";
import type { WebContent } from "../../lib/game-web/content/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";

/** Input of `pages/bare.js`: the 3D layer of a scene, and its movements. */
export interface BareScene {
  /** Its state before the first step. */
  readonly scene: JsonValue;
  /** Movements in each step: the index of a node, then its position, rotation and scale. */
  readonly moves: readonly (readonly number[])[];
}

/**
 * Records a scene as it would be written for three.js alone.
 *
 * @param steps Number of recorded steps, of a round without input.
 */
export async function bareScene(
  content: WebContent,
  scene: string,
  { folder, clock, steps }: {
    readonly folder: string;
    readonly clock: Clock;
    readonly steps: number;
  },
): Promise<BareScene> {
  const viewport = { width: 1, height: 1 };
  const host = await SceneHost.open(content, scene, { clock, viewport });
  if (!host.ok) throw new Error(host.error.detail);
  const running = await RunningGame.start(host.value, content);
  const { world } = running.game;
  const nodes = new Nodes(world);
  const drawn = world.withTrait("Renderable3D");
  const shown = drawn.filter(isShown);
  const sketch = sketchOf(world, { content, folder, nodes, shown });
  const moves: (readonly number[])[] = [];
  for (let step = 0; step < steps; step++) {
    await running.steps(1, new AbortController().signal);
    moves.push(nodes.moved());
  }
  const now = world.withTrait("Renderable3D");
  const isSame = now === drawn && now.filter(isShown).length === shown.length;
  running.end();
  if (!isSame) throw new Error(`Something comes or goes within ${steps} steps of ${scene}`);
  return { scene: sketch, moves };
}

function isShown({ layer, traits }: LiveEntity): boolean {
  return layer === "3d" && isOn(traits["Renderable3D"], "visible");
}

function sketchOf(
  world: LiveWorld,
  { content, folder, nodes, shown }: {
    readonly content: WebContent;
    readonly folder: string;
    readonly nodes: Nodes;
    readonly shown: readonly LiveEntity[];
  },
): JsonObject {
  const fileOf = (guid: string): JsonObject => {
    const path = content.asset(guid)?.path ?? "";
    const read = parseJsonFile(path, readFileSync(join(folder, path)));
    return read.ok && isJsonObject(read.value) ? read.value : {};
  };
  const urlOf = (guid: string) => content.asset(guid)?.path ?? null;
  const shapes = new Places();
  const materials = new Places();
  for (const entity of shown) {
    const fields = entity.traits["Renderable3D"];
    const [mesh, model] = [textIn(fields, "mesh"), textIn(fields, "model")];
    const material = textIn(fields, "material");
    const isFile = mesh === "model" && urlOf(model)?.endsWith(".json") === true;
    nodes.put(entity, "thing", {
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
      castShadow: isOn(fields, "castShadow"),
      receiveShadow: isOn(fields, "receiveShadow"),
    });
  }
  const eye = world.withTrait("Camera").find(({ layer, traits }) =>
    layer === "3d" && isOn(traits["Camera"], "active")
  );
  const sky = world.withTrait("Sky").find(({ layer }) => layer === "3d")?.traits["Sky"];
  if (eye === undefined) throw new Error("Nothing is seen: the scene has no camera");
  nodes.put(eye, "eye", {
    fov: numberIn(eye.traits["Camera"], "fov", 60),
    near: numberIn(eye.traits["Camera"], "near", 0.1),
    far: numberIn(eye.traits["Camera"], "far", 1000),
  });
  for (const entity of world.withTrait("Light").filter(({ layer }) => layer === "3d")) {
    const fields = entity.traits["Light"];
    nodes.put(entity, "light", {
      kind: textIn(fields, "kind"),
      color: textIn(fields, "color"),
      intensity: numberIn(fields, "intensity", 1),
      range: numberIn(fields, "range", 10),
      angle: numberIn(fields, "angle", 45) / 2 * Math.PI / 180,
      castShadow: fields?.["castShadow"] === true,
    });
  }
  return {
    sky: {
      ...fileOf(textIn(sky, "environment")),
      fogStart: numberIn(sky, "fogStart"),
      fogEnd: numberIn(sky, "fogEnd"),
    },
    shapes: shapes.all,
    materials: materials.all,
    nodes: nodes.list,
  };
}

/** The visible entities of a scene and their ancestors, ancestors first. */
class Nodes {
  /** Kind, parent index (`-1` for none) and initial place of each. */
  readonly list: JsonObject[] = [];
  readonly #world: LiveWorld;
  readonly #entities: LiveEntity[] = [];
  readonly #places: (readonly number[])[] = [];

  constructor(world: LiveWorld) {
    this.#world = world;
  }

  /** Records the kind of an entity; it has only one. */
  put(entity: LiveEntity, kind: "thing" | "light" | "eye", what: JsonObject): void {
    const node = this.#of(entity);
    this.list[node] = { ...this.list[node], [kind]: what };
  }

  #of(entity: LiveEntity): number {
    const known = this.#entities.indexOf(entity);
    if (known >= 0) return known;
    const carrier = this.#world.carrierOf(entity);
    const above = carrier === undefined ? -1 : this.#of(carrier);
    const place = placeIn(entity);
    this.#places.push(place);
    this.list.push({ above, place: [...place] });
    return this.#entities.push(entity) - 1;
  }

  /** Returns the nodes that have moved since the last call. */
  moved(): readonly number[] {
    return this.#entities.flatMap((entity, node) => {
      const place = placeIn(entity);
      if (place.every((value, n) => value === this.#places[node]?.[n])) return [];
      this.#places[node] = place;
      return [node, ...place];
    });
  }
}

/** Converts a Transform to three.js: metres, radians, scale. */
function placeIn({ traits: { Transform: at } }: LiveEntity): readonly number[] {
  return [
    ...["x", "y", "z"].map((name) => numberIn(at, name)),
    ...["rx", "ry", "rz"].map((name) => numberIn(at, name) * Math.PI / 180),
    ...["sx", "sy", "sz"].map((name) => numberIn(at, name, 1)),
  ];
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
