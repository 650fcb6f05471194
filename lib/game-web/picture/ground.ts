import { Mesh, type Object3D, PlaneGeometry, ShaderMaterial } from "three";

/** A grid of metres at height 0, with the x and the z axis in it. */
export interface Ground {
  readonly object: Object3D;
  dispose(): void;
}

// A grid around the camera that fades in the distance: the higher the camera, the farther it
// extends and the wider its spacing.
const VERTEX = `
varying vec3 vAt;
varying float vReach;
void main() {
  vReach = max(30.0, abs(cameraPosition.y) * 14.0);
  vAt = vec3(position.x * vReach + cameraPosition.x, 0.0, position.y * vReach + cameraPosition.z);
  gl_Position = projectionMatrix * viewMatrix * vec4(vAt, 1.0);
}`;
const FRAGMENT = `
varying vec3 vAt;
varying float vReach;
float lines(vec2 at, float apart) {
  vec2 wide = fwidth(at / apart);
  vec2 near = abs(fract(at / apart - 0.5) - 0.5) / max(wide, vec2(1e-6));
  float drawn = 1.0 - min(min(near.x, near.y), 1.0);
  return drawn * (1.0 - smoothstep(0.15, 0.5, max(wide.x, wide.y)));
}
float line(float at) {
  return 1.0 - min(abs(at) / max(fwidth(at) * 1.3, 1e-6), 1.0);
}
void main() {
  float apart = pow(10.0, max(0.0, floor(log(max(abs(cameraPosition.y), 1.0) / 6.0) / log(10.0) + 0.5)));
  float alpha = max(lines(vAt.xz, apart) * 0.22, lines(vAt.xz, apart * 10.0) * 0.4);
  vec3 color = vec3(0.62, 0.66, 0.72);
  float onX = line(vAt.z);
  float onZ = line(vAt.x);
  color = mix(color, vec3(0.94, 0.36, 0.36), onX);
  color = mix(color, vec3(0.35, 0.6, 1.0), onZ * (1.0 - onX));
  alpha = max(alpha, max(onX, onZ) * 0.75);
  alpha *= 1.0 - smoothstep(0.35, 1.0, length(vAt.xz - cameraPosition.xz) / vReach);
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(color, alpha);
}`;

/** Makes the grid that editors show. */
export function createGround(): Ground {
  const geometry = new PlaneGeometry(2, 2);
  const material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthWrite: false,
    side: 2, // DoubleSide: also visible from below
    // A floor of the scene at height 0 is below it.
    polygonOffset: true,
    polygonOffsetFactor: -1,
    polygonOffsetUnits: -4,
  });
  const object = new Mesh(geometry, material);
  object.frustumCulled = false; // its vertices follow the camera
  object.renderOrder = 1_000;
  object.matrixAutoUpdate = false;
  return {
    object,
    dispose() {
      geometry.dispose();
      material.dispose();
    },
  };
}
