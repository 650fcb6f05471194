// What a page does that draws one scene of a project: bundled for the browser, called by the tests.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { createPicture } from "../../lib/game-web/picture/mod.ts";
import { PAGE_CLOCK } from "../../lib/game-web/page-clock.ts";
import { openContent } from "../../lib/game-web/content/mod.ts";
import { openSavedValues } from "../../lib/game/world/mod.ts";
import { RunningGame, SceneHost } from "../../lib/game/play/mod.ts";

/**
 * Opens the game below the page, at a size in CSS pixels.
 *
 * @param keepsWarnings Whether the picture's warnings are collected here, and not printed.
 * @param after The game that was opened before: its picture moves on to this scene. `null` for the first
 * of several games.
 */
export async function openGame(
  { width, height, scene, warnings = [], keepsWarnings = true, after },
) {
  const { content, startScene } = after ?? await contentHere(after === null);
  const host = await SceneHost.open(content, scene ?? startScene, {
    clock: PAGE_CLOCK,
    viewport: { width, height },
    saved: openSavedValues(localStorage, "pictures", (text) => warnings.push(text)),
    console: { write: (_level, text) => warnings.push(text) },
  });
  if (!host.ok) throw new Error(host.error.detail);
  after?.running.end();
  const running = await RunningGame.start(host.value, content);
  const canvas = after?.canvas ?? document.createElement("canvas");
  canvas.style.cssText = `width: ${width}px; height: ${height}px; display: block`;
  document.body.append(canvas);
  const heard = after?.heard ?? {};
  heard.by = warnings;
  const notes = keepsWarnings ? { warn: (text) => heard.by.push(text) } : {};
  const picture = after?.picture ?? createPicture(canvas, content, notes);
  const show = (elapsed = 0) =>
    picture.show({
      game: running.game,
      layout: { entries: [] },
      screen: { width, height, pixelRatio: 1 },
      elapsed,
      pressed: [],
      paused: false,
    });
  const drawComplete = async () => {
    show();
    await picture.whenLoaded();
    show();
  };
  return { running, picture, canvas, show, whenLoaded: drawComplete, content, startScene, heard, warnings };
}

/** The content of the game below the page. @param keepsJson Whether JSON files are fetched only once. */
async function contentHere(keepsJson) {
  const kept = new Map();
  const fetchOnce = async (url) => {
    if (!url.endsWith(".json")) return await fetch(url);
    if (!kept.has(url)) kept.set(url, await fetch(url));
    return kept.get(url).clone();
  };
  const opened = await openContent(
    new URL("./", location.href).href,
    keepsJson ? fetchOnce : fetch,
  );
  if (!opened.ok) throw new Error(opened.error.detail);
  return { content: opened.value.content, startScene: opened.value.game.startScene };
}

/** The picture as it is now: its pixels have to be read in the task that drew them. */
export function pixelsOf(canvas) {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const pen = copy.getContext("2d", { willReadFrequently: true });
  pen.drawImage(canvas, 0, 0);
  return pen.getImageData(0, 0, copy.width, copy.height);
}

/** The pixels of a picture at an address. */
export async function pixelsAt(url) {
  const image = await createImageBitmap(await (await fetch(url)).blob());
  const pixels = pixelsOf(image);
  image.close();
  return pixels;
}

/** The smallest rectangle around pixels that are not of the colour in the corner; `null` for none. */
export function drawnBox({ data, width, height }, tolerance = 8) {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const differs = [0, 1, 2].some((c) => Math.abs(data[at + c] - data[c]) > tolerance);
      if (!differs) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  return right < 0 ? null : { x: left, y: top, w: right + 1 - left, h: bottom + 1 - top };
}

/** The colour of a pixel, as `[red, green, blue]`. */
export function colorAt({ data, width }, x, y) {
  const at = (y * width + x) * 4;
  return [...data.slice(at, at + 3)];
}

/** A PNG of a canvas, in base64. */
export function pngOf(canvas) {
  return canvas.toDataURL("image/png").split(",")[1];
}

/** Of textures that lie at an angle: what the picture has, and the loader leaves to who draws. */
const ANISOTROPY = 4;

/**
 * What three.js' own loader makes of a model: drawn by a page that knows nothing of Slipway, at a
 * place, through a camera and under lights that are given as traits say them.
 *
 * `seconds` into its first animation; `null` for how it rests.
 */
export async function drawByLoader({ width, height, url, at, eye, sun, ambient, seconds }) {
  const { scene: model, animations: [clip] } = await new GLTFLoader().loadAsync(url);
  if (seconds !== null) {
    const mixer = new THREE.AnimationMixer(model);
    mixer.clipAction(clip).play();
    mixer.setTime(seconds);
  }
  model.traverse(({ material = {} }) => {
    for (const value of Object.values(material)) {
      if (value?.isTexture) value.anisotropy = ANISOTROPY;
    }
  });
  const root = new THREE.Group();
  root.add(model);
  put(root, at);
  const scene = new THREE.Scene();
  scene.background = new THREE.Color("#000000");
  scene.add(root, new THREE.AmbientLight("#ffffff", ambient));
  const light = new THREE.DirectionalLight("#ffffff", sun.intensity);
  const holder = new THREE.Group();
  put(holder, sun);
  light.position.set(0, 0, 0);
  light.target.position.set(0, 0, -1);
  holder.add(light, light.target);
  scene.add(holder);
  const camera = new THREE.PerspectiveCamera(eye.fov, width / height, eye.near, eye.far);
  put(camera, eye);
  reference ??= new THREE.WebGLRenderer({ antialias: true });
  reference.setSize(width, height, false);
  reference.toneMapping = THREE.NeutralToneMapping;
  reference.render(scene, camera);
  return { canvas: reference.domElement, dispose: () => freePixels(model) };
}

/** Draws all models: what it has compiled for one it has for the next. */
let reference;

/** Frees what takes memory of a model that was drawn; its materials keep what was compiled for them. */
function freePixels(model) {
  model.traverse(({ geometry, material = {} }) => {
    geometry?.dispose();
    for (const value of Object.values(material)) {
      if (value?.isTexture) value.dispose();
    }
  });
}

function put(object, { x = 0, y = 0, z = 0, rx = 0, ry = 0, rz = 0, sx = 1, sy = 1, sz = 1 }) {
  object.position.set(x, y, z);
  object.rotation.set(...[rx, ry, rz].map(THREE.MathUtils.degToRad), "XYZ");
  object.scale.set(sx, sy, sz);
}

/**
 * How two pictures of one size differ where either shows something: the mean difference of a channel
 * (of 255), and the share of pixels that differ by more than 32 in any.
 */
export function difference({ data: a }, { data: b }) {
  let [seen, sum, far] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 4) {
    let [most, all, isSeen] = [0, 0, false];
    for (let channel = at; channel < at + 3; channel++) {
      const off = Math.abs(a[channel] - b[channel]);
      all += off;
      if (off > most) most = off;
      if (a[channel] + b[channel] > 0) isSeen = true;
    }
    if (!isSeen) continue;
    seen++;
    sum += all / 3;
    if (most > 32) far++;
  }
  return { seen, mean: seen === 0 ? 0 : sum / seen, far: seen === 0 ? 0 : far / seen };
}

globalThis.pictures = {
  openGame,
  pixelsOf,
  pixelsAt,
  drawnBox,
  colorAt,
  pngOf,
  drawByLoader,
  difference,
};
