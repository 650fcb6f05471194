import { rotate, transpose } from "../../game/geometry/mod.ts";
import type { Vec3 } from "../../editor/ports/mod.ts";
import { orbit, throughCamera } from "./look.ts";
import { eyeOf } from "./orbit.ts";

const REACH = 26;
/** The ends of the axes: their directions, and the camera's view for each. */
const ENDS: readonly {
  readonly name: string;
  readonly axis: "x" | "y" | "z";
  readonly along: Vec3;
  readonly yaw: number | null;
  readonly pitch: number;
}[] = [
  { name: "Right", axis: "x", along: [1, 0, 0], yaw: 90, pitch: 0 },
  { name: "Left", axis: "x", along: [-1, 0, 0], yaw: -90, pitch: 0 },
  { name: "Top", axis: "y", along: [0, 1, 0], yaw: null, pitch: -90 },
  { name: "Bottom", axis: "y", along: [0, -1, 0], yaw: null, pitch: 90 },
  { name: "Front", axis: "z", along: [0, 0, 1], yaw: 0, pitch: 0 },
  { name: "Back", axis: "z", along: [0, 0, -1], yaw: 180, pitch: 0 },
];

/** The directions of the axes; clicking an end shows the view along it. */
export function AxisCross() {
  const toEye = transpose(eyeOf(orbit.value).linear);
  const ends = ENDS.map((end) => {
    const [x, y, z] = rotate(toEye, end.along);
    return { ...end, x: x * REACH, y: -y * REACH, z };
  }).sort((a, b) => a.z - b.z);
  return (
    <svg
      class="axis-cross"
      width={76}
      height={76}
      viewBox="-38 -38 76 76"
      role="group"
      aria-label="Views"
    >
      {ends.map(({ name, axis, along, x, y, yaw, pitch }) => {
        const isAhead = along.some((part) => part > 0);
        const turn = () => {
          throughCamera.value = false;
          orbit.value = { ...orbit.value, pitch, ...(yaw !== null && { yaw }) };
        };
        return (
          <g
            key={name}
            class={`end axis-${axis} ${isAhead ? "ahead" : ""}`}
            role="button"
            tabIndex={0}
            aria-label={`${name} view`}
            onClick={turn}
            onKeyDown={({ key }) => {
              if (key === "Enter") turn();
            }}
          >
            <title>{name}</title>
            {isAhead && <line x2={x} y2={y} />}
            <circle cx={x} cy={y} r={isAhead ? 8 : 6} />
            {isAhead && <text x={x} y={y + 3.5}>{axis.toUpperCase()}</text>}
          </g>
        );
      })}
    </svg>
  );
}
