// A page that shows a moving scene with three.js and nothing else, as somebody who knows three.js writes
// it by hand: what a game's page is compared with. How the scene moves was noted from the game.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const GEOMETRIES = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  sphere: () => new THREE.SphereGeometry(0.5, 32, 16),
  plane: () => new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2),
  quad: () => new THREE.PlaneGeometry(1, 1),
  cylinder: () => new THREE.CylinderGeometry(0.5, 0.5, 1, 32),
  cone: () => new THREE.ConeGeometry(0.5, 1, 32),
};

const sketch = await (await fetch("./bare.json")).json();
const canvas = document.createElement("canvas");
canvas.style.cssText = "position: fixed; inset: 0; width: 100%; height: 100%";
document.body.append(canvas);
const renderer = new THREE.WebGLRenderer({
  canvas,
  antialias: true,
  powerPreference: "high-performance",
});
renderer.toneMapping = THREE.NeutralToneMapping;
renderer.shadowMap.enabled = true;
renderer.setSize(innerWidth, innerHeight, false);

const scene = new THREE.Scene();
const ahead = new THREE.Vector3();
const suns = [];
surround(sketch.sky);
const [materials, shapes] = await Promise.all([
  Promise.all(sketch.materials.map(materialOf)),
  Promise.all(sketch.shapes.map(shapeOf)),
]);
const nodes = sketch.nodes.map(({ thing, light, eye }) =>
  thing ? meshOf(thing) : light ? lightOf(light) : eye ? cameraOf(eye) : new THREE.Group()
);
for (const [n, { above, place }] of sketch.nodes.entries()) {
  (nodes[above] ?? scene).add(nodes[n]);
  put(nodes[n], place, 0);
}
const camera = nodes.find((node) => node.isCamera);
for (const node of nodes) if (node.isDirectionalLight) addSun(node);
// Only what moves is put together anew.
scene.traverse((one) => one.matrixAutoUpdate = false);
scene.updateMatrixWorld(true);
follow();
renderer.render(scene, camera);
requestAnimationFrame(async () => {
  const moves = await (await fetch("./moves.json")).json();
  let step = 0;
  const frame = () => {
    move(moves[step++]);
    follow();
    renderer.render(scene, camera);
    requestAnimationFrame(frame);
  };
  frame();
});

function move(moved) {
  for (let at = 0; at < moved.length; at += 10) put(nodes[moved[at]], moved, at + 1);
}

function put(node, numbers, at) {
  node.position.fromArray(numbers, at);
  node.rotation.set(numbers[at + 3], numbers[at + 4], numbers[at + 5]);
  node.scale.fromArray(numbers, at + 6);
  node.updateMatrix();
}

async function materialOf({ color, texture, roughness, metalness, emissive }) {
  const material = new THREE.MeshStandardMaterial({ color, roughness, metalness, emissive });
  if (texture === null) return material;
  material.map = await new THREE.TextureLoader().loadAsync(texture);
  material.map.colorSpace = THREE.SRGBColorSpace;
  material.map.wrapS = material.map.wrapT = THREE.RepeatWrapping;
  material.map.anisotropy = 4;
  return material;
}

async function shapeOf({ mesh, url, corners }) {
  const material = new THREE.MeshStandardMaterial();
  if (corners !== null) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners.positions, 3));
    geometry.setIndex(corners.triangles);
    geometry.computeVertexNormals();
    return [{ geometry, material }];
  }
  if (url === null) return [{ geometry: GEOMETRIES[mesh](), material }];
  const { scene: model } = await new GLTFLoader().loadAsync(url);
  const parts = [];
  model.updateMatrixWorld();
  model.traverse((one) => {
    if (!one.isMesh) return;
    parts.push({ geometry: one.geometry.applyMatrix4(one.matrixWorld), material: one.material });
  });
  return parts;
}

function meshOf({ shape, material, castShadow, receiveShadow }) {
  const meshes = shapes[shape].map((part) => {
    const mesh = new THREE.Mesh(part.geometry, materials[material] ?? part.material);
    mesh.castShadow = castShadow;
    mesh.receiveShadow = receiveShadow;
    return mesh;
  });
  return meshes.length === 1 ? meshes[0] : new THREE.Group().add(...meshes);
}

function cameraOf({ fov, near, far }) {
  return new THREE.PerspectiveCamera(fov, innerWidth / innerHeight, near, far);
}

function lightOf({ kind, color, intensity, range, angle, castShadow }) {
  if (kind === "ambient") return new THREE.AmbientLight(color, intensity);
  const light = kind === "point"
    ? new THREE.PointLight(color, intensity, range)
    : kind === "spot"
    ? new THREE.SpotLight(color, intensity, range, angle, 1)
    : new THREE.DirectionalLight(color, intensity);
  light.castShadow = castShadow;
  if (kind !== "spot") return light;
  light.target.position.set(0, 0, -1);
  light.target.updateMatrix();
  return light.add(light.target);
}

/** Shadows over what is seen, as large and as sharp as a game's. */
function addSun(light) {
  const radius = Math.min(80, camera.far) / 2;
  const { shadow } = light;
  shadow.mapSize.set(2048, 2048);
  shadow.bias = -0.0005;
  shadow.normalBias = 0.02;
  shadow.camera.left = shadow.camera.bottom = -radius * 1.5;
  shadow.camera.right = shadow.camera.top = radius * 1.5;
  shadow.camera.near = 0;
  shadow.camera.far = radius * 8;
  const forward = new THREE.Vector3(0, 0, -1).applyQuaternion(light.quaternion);
  scene.add(light.target);
  suns.push({ light, forward, radius });
}

/** The suns go with the camera, by whole pixels of their shadows. */
function follow() {
  camera.updateWorldMatrix(true, false);
  ahead.set(0, 0, -1).transformDirection(camera.matrixWorld);
  for (const { light, forward, radius } of suns) {
    const step = radius * 4 / light.shadow.mapSize.x;
    light.target.position.setFromMatrixPosition(camera.matrixWorld).addScaledVector(ahead, radius)
      .divideScalar(step).round().multiplyScalar(step);
    light.position.copy(light.target.position).addScaledVector(forward, -radius * 4);
    light.target.updateMatrix();
    light.updateMatrix();
  }
}

/** The same gradient around everything that a game has. */
function surround({ sky, horizon, ground, intensity, fogStart, fogEnd }) {
  const [rows, width] = [128, 4];
  const numbers = new Float32Array(width * rows * 4);
  const mixed = new THREE.Color();
  for (let row = 0; row < rows; row++) {
    const height = (row + 0.5) / rows * 2 - 1;
    mixed.set(horizon).lerp(
      new THREE.Color(height < 0 ? ground : sky),
      Math.sqrt(Math.abs(height)),
    );
    for (let column = 0; column < width; column++) {
      numbers.set([mixed.r, mixed.g, mixed.b, 1], (row * width + column) * 4);
    }
  }
  const texture = new THREE.DataTexture(numbers, width, rows);
  texture.type = THREE.FloatType;
  texture.mapping = THREE.EquirectangularReflectionMapping;
  texture.magFilter = texture.minFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  scene.background = scene.environment = texture;
  scene.backgroundIntensity = scene.environmentIntensity = intensity;
  if (fogEnd > 0) scene.fog = new THREE.Fog(horizon, fogStart, fogEnd);
}
