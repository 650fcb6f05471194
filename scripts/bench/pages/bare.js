// A page that shows a scene with three.js and nothing else: what a game's page is compared with.
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
const camera = new THREE.PerspectiveCamera();
const { eye } = sketch;
camera.matrixAutoUpdate = false;
camera.matrix.fromArray(eye.matrix);
camera.matrixWorldNeedsUpdate = true;
camera.fov = eye.fov;
camera.near = eye.near;
camera.far = eye.far;
camera.aspect = innerWidth / innerHeight;
camera.updateProjectionMatrix();

surround(sketch.sky);
for (const light of sketch.lights) scene.add(...lightOf(light));
const [materials, shapes] = await Promise.all([
  Promise.all(sketch.materials.map(materialOf)),
  Promise.all(sketch.shapes.map(shapeOf)),
]);
for (const { shape, material, matrix, castShadow, receiveShadow } of sketch.things) {
  for (const part of shapes[shape]) {
    const mesh = new THREE.Mesh(part.geometry, materials[material] ?? part.material);
    mesh.castShadow = castShadow;
    mesh.receiveShadow = receiveShadow;
    mesh.matrixAutoUpdate = false;
    mesh.matrix.fromArray(matrix).multiply(part.matrix);
    mesh.matrixWorldNeedsUpdate = true;
    scene.add(mesh);
  }
}
renderer.render(scene, camera);
requestAnimationFrame(frame);

function frame() {
  renderer.render(scene, camera);
  requestAnimationFrame(frame);
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
  const own = { material: new THREE.MeshStandardMaterial(), matrix: new THREE.Matrix4() };
  if (corners !== null) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners.positions, 3));
    geometry.setIndex(corners.triangles);
    geometry.computeVertexNormals();
    return [{ ...own, geometry }];
  }
  if (url === null) return [{ ...own, geometry: GEOMETRIES[mesh]() }];
  const { scene: model } = await new GLTFLoader().loadAsync(url);
  const parts = [];
  model.updateMatrixWorld();
  model.traverse((one) => {
    if (!one.isMesh) return;
    parts.push({ geometry: one.geometry, material: one.material, matrix: one.matrixWorld });
  });
  return parts;
}

function lightOf({ kind, color, intensity, matrix, range, angle, castShadow }) {
  if (kind === "ambient") return [new THREE.AmbientLight(color, intensity)];
  const light = kind === "point"
    ? new THREE.PointLight(color, intensity, range)
    : kind === "spot"
    ? new THREE.SpotLight(color, intensity, range, angle, 1)
    : new THREE.DirectionalLight(color, intensity);
  const place = new THREE.Matrix4().fromArray(matrix);
  const forward = new THREE.Vector3(0, 0, -1).transformDirection(place);
  light.position.setFromMatrixPosition(place);
  light.castShadow = castShadow;
  if (kind === "point") return [light];
  if (light.isDirectionalLight) shadowOver(light, forward);
  light.target.position.copy(light.position).add(forward);
  return [light, light.target];
}

/** Shadows over what is seen, as large and as sharp as a game's. */
function shadowOver(light, forward) {
  const radius = Math.min(80, eye.far) / 2;
  const ahead = new THREE.Vector3(0, 0, -1).transformDirection(camera.matrix);
  light.position.setFromMatrixPosition(camera.matrix).addScaledVector(ahead, radius)
    .addScaledVector(forward, -radius * 4);
  const { shadow } = light;
  shadow.mapSize.set(2048, 2048);
  shadow.bias = -0.0005;
  shadow.normalBias = 0.02;
  shadow.camera.left = shadow.camera.bottom = -radius * 1.5;
  shadow.camera.right = shadow.camera.top = radius * 1.5;
  shadow.camera.near = 0;
  shadow.camera.far = radius * 8;
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
