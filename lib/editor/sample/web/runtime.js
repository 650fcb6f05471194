// A small runtime: loads game.json and the start scene, draws the 3D layer as flat shapes and the 2D
// layer as sprites on a canvas, lays out the UI layer with the browser's own flexbox, runs scripts.

const load = async (path) => (await fetch(`./${path}`)).json();
const game = await load("game.json");
const scene = await load(game.startScene);
const byGuid = new Map(scene.entities.map((entity) => [entity.guid, entity]));
const canvas = document.getElementById("picture");
const pen = canvas.getContext("2d");
const keys = new Set();
addEventListener("keydown", (event) => keys.add(event.key));
addEventListener("keyup", (event) => keys.delete(event.key));

const UNIT = { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] };
const FLAT = { min: [-0.5, 0, -0.5], max: [0.5, 0, 0.5] };
const materials = await loadAll("Renderable3D", "material", (asset) => load(asset.path));
const images = await loadAll("Sprite", "image", async (asset) => {
  const image = new Image();
  image.src = `./${asset.path}`;
  await image.decode();
  return image;
});
const scripts = await loadAll("Script", "script", (asset) => import(`./${asset.path}`));

/** Loads what a field of a trait names, once for each asset. */
async function loadAll(trait, field, read) {
  const guids = new Set(scene.entities.map((entity) => entity.traits[trait]?.[field]));
  const found = [...guids].filter((guid) => game.assets[guid] !== undefined);
  const pairs = found.map(async (guid) => [guid, await read(game.assets[guid])]);
  return new Map(await Promise.all(pairs));
}

/** Where a point of an entity is in the world of its layer. */
function toWorld(entity, point) {
  const { x = 0, y = 0, z = 0, sx = 1, sy = 1, sz = 1 } = entity.traits.Transform ?? {};
  const turned = turn([point[0] * sx, point[1] * sy, point[2] * sz], entity.traits.Transform);
  const moved = [turned[0] + x, turned[1] + y, turned[2] + z];
  const parent = byGuid.get(entity.parent);
  return parent?.layer === entity.layer ? toWorld(parent, moved) : moved;
}

/** Rotates about z, y and x: the order of own axes X, Y, Z seen from outside. */
function turn([x, y, z], { rx = 0, ry = 0, rz = 0 } = {}) {
  [x, y] = around(x, y, rz);
  [z, x] = around(z, x, ry);
  [y, z] = around(y, z, rx);
  return [x, y, z];
}

function around(a, b, degrees) {
  const angle = degrees * Math.PI / 180;
  return [
    a * Math.cos(angle) - b * Math.sin(angle),
    a * Math.sin(angle) + b * Math.cos(angle),
  ];
}

function drawWorld() {
  const cameras = scene.entities.filter(({ layer, traits }) =>
    layer === "3d" && traits.Camera !== undefined && traits.Camera.active !== false
  );
  const priority = (camera) => camera.traits.Camera.priority ?? 0;
  const camera = cameras.sort((a, b) => priority(b) - priority(a))[0];
  pen.fillStyle = "#87b5d9";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  if (camera === undefined) return;
  const eye = toWorld(camera, [0, 0, 0]);
  const { fov = 60, near = 0.1 } = camera.traits.Camera;
  const { rx = 0, ry = 0 } = camera.traits.Transform ?? {};
  const scale = canvas.height / 2 / Math.tan(fov * Math.PI / 360);
  const seen = (point) => {
    let [x, y, z] = point.map((value, axis) => value - eye[axis]);
    [y, z] = around(y, z, -rx);
    [z, x] = around(z, x, -ry);
    return [x, y, Math.max(near, -z)];
  };
  const shapes = scene.entities.filter(({ layer, traits }) => layer === "3d" && traits.Renderable3D)
    .map((entity) => {
      const corners = cornersOf(entity).map((corner) => seen(toWorld(entity, corner)));
      return { entity, corners, depth: Math.min(...corners.map((corner) => corner[2])) };
    });
  const flatFirst = ({ entity }) => entity.traits.Renderable3D.mesh === "plane" ? 0 : 1;
  shapes.sort((a, b) => flatFirst(a) - flatFirst(b) || b.depth - a.depth);
  for (const { entity, corners } of shapes) {
    const points = corners.map(([x, y, z]) => [
      canvas.width / 2 + x / z * scale,
      canvas.height / 2 - y / z * scale,
    ]);
    pen.beginPath();
    for (const [x, y] of hullOf(points)) pen.lineTo(x, y);
    pen.closePath();
    pen.fillStyle = materials.get(entity.traits.Renderable3D.material)?.color ?? "#dddddd";
    pen.fill();
    pen.strokeStyle = "#00000030";
    pen.stroke();
  }
}

function cornersOf({ traits: { Renderable3D: { mesh = "box", model } } }) {
  const bounds = game.assets[model]?.bounds ?? (mesh === "plane" ? FLAT : UNIT);
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
    [0, 1, 2].map((axis) => (i >> axis & 1 ? bounds.max : bounds.min)[axis])
  );
}

/** The corners around a set of points (Andrew's monotone chain). */
function hullOf(points) {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (ordered) => {
    const chain = [];
    for (const p of ordered) {
      while (chain.length > 1 && leftTurn(chain.at(-2), chain.at(-1), p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

function leftTurn(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

function drawSprites() {
  for (const entity of scene.entities) {
    const image = entity.layer === "2d" && images.get(entity.traits.Sprite?.image);
    if (!image) continue;
    const width = entity.traits.Sprite.width || image.width;
    const height = entity.traits.Sprite.height || image.height;
    const [x, y] = toWorld(entity, [0, 0, 0]);
    const [tipX, tipY] = toWorld(entity, [1, 0, 0]);
    pen.save();
    pen.translate(x, y);
    pen.rotate(Math.atan2(tipY - y, tipX - x));
    pen.drawImage(image, -width / 2, -height / 2, width, height);
    pen.restore();
  }
}

const FLEX = { start: "flex-start", end: "flex-end" };

function showUi() {
  const boxes = new Map();
  const root = document.getElementById("ui");
  for (const { guid, parent, layer, traits } of scene.entities) {
    const element = layer === "ui" ? traits.UIElement : undefined;
    if (element === undefined) continue;
    const box = document.createElement("div");
    const length = (name) =>
      ({ px: `${element[name] ?? 0}px`, percent: `${element[name] ?? 0}%` })[
        element[`${name}Unit`]
      ] ?? "auto";
    Object.assign(box.style, {
      display: element.visible === false ? "none" : "flex",
      position: element.position ?? "relative",
      flexDirection: element.direction ?? "column",
      justifyContent: FLEX[element.justify] ?? element.justify ?? "flex-start",
      alignItems: FLEX[element.align] ?? element.align ?? "stretch",
      alignSelf: FLEX[element.alignSelf] ?? element.alignSelf ?? "auto",
      flexGrow: element.grow ?? 0,
      width: length("width"),
      height: length("height"),
      minWidth: `${element.minWidth ?? 0}px`,
      padding: `${element.padding ?? 0}px`,
      margin: `${element.margin ?? 0}px`,
      gap: `${element.gap ?? 0}px`,
      background: element.background ?? "none",
    });
    for (const side of ["left", "right"]) {
      if ([side, "both"].includes(element.pinX)) box.style[side] = `${element[side] ?? 0}px`;
    }
    for (const side of ["top", "bottom"]) {
      if ([side, "both"].includes(element.pinY)) box.style[side] = `${element[side] ?? 0}px`;
    }
    if (traits.Text !== undefined) {
      box.textContent = traits.Text.text ?? "";
      box.style.fontSize = `${traits.Text.size ?? 16}px`;
    }
    if (traits.Sprite !== undefined) box.append(images.get(traits.Sprite.image)?.cloneNode() ?? "");
    const above = boxes.get(parent);
    if (above === undefined) Object.assign(box.style, { position: "absolute", inset: 0 });
    (above ?? root).append(box);
    boxes.set(guid, box);
  }
}

showUi();
let last = performance.now();
requestAnimationFrame(function frame(now) {
  const seconds = Math.min(0.1, (now - last) / 1000);
  last = now;
  for (const entity of scene.entities) {
    const { Rotate, Transform, Script } = entity.traits;
    if (Rotate && Transform) Transform.ry = (Transform.ry ?? 0) + (Rotate.y ?? 0) * seconds;
    scripts.get(Script?.script)?.update(entity, { seconds, keys, byGuid });
  }
  drawWorld();
  drawSprites();
  requestAnimationFrame(frame);
});
