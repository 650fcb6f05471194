import type { ComponentChildren } from "preact";
import { computed, effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { IDENTITY } from "../../game/geometry/mod.ts";
import type { SceneView } from "../../game-web/mod.ts";
import type { Entity, Vec3 } from "../../editor/ports/mod.ts";
import { isStopped, view as editorView } from "../model/editor.ts";
import { preview } from "../model/previews.ts";
import { byId, scene } from "../model/scene.ts";
import { flatHandles } from "./flat.ts";
import { hot, hovered, marquee, parts } from "./gestures.ts";
import { type GizmoPart, gizmoParts } from "./gizmo.ts";
import { frames, isGame } from "./look.ts";
import { cornersOf } from "./select.ts";
import { shapesNow } from "./shaping.ts";
import { beginTransform } from "./transforming.ts";
import { wayNow } from "./ways.ts";

/** Maximum marks of invisible entities: more are useless. */
const MOST_MARKS = 200;
/** Maximum boxes around selected entities. */
const MOST_BOXES = 500;
/** Maximum selected entities whose shapes are drawn. */
const MOST_SHAPES = 50;
/** Characters of a name that are read at a glance. */
const LONGEST_NAME = 60;
/** Corners of a box joined by edges: those that differ in one bit. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((a) =>
  [1, 2, 4].flatMap((bit) => (a & bit) === 0 ? [[a, a | bit] as const] : [])
);

/**
 * Overlays of the viewport, repositioned after each frame. Each part reads `frames`, because Preact
 * does not redraw a part with its parent.
 */
export function Overlay({ view }: { readonly view: SceneView }) {
  useEffect(() => effect(() => followGizmo(view)), [view]);
  void frames.value;
  if (isGame.value) return null;
  const { width, height } = view.size;
  return (
    <svg class="overlay" width={width} height={height} aria-hidden="true">
      {editorView.value.mode === "3d" ? <Marks view={view} /> : <Screen view={view} />}
      {editorView.value.selection.slice(0, MOST_BOXES).map((id, n) => (
        <Outline key={id} view={view} id={id} isFirst={n === 0} />
      ))}
      {parts.value.map((part) => <Part key={part.kind} part={part} />)}
      {editorView.value.mode === "3d" && <Shapes view={view} />}
      {editorView.value.mode === "3d" && <Ways view={view} />}
      {editorView.value.mode !== "3d" && <Grips view={view} />}
      <Marquee />
      <Hovered />
    </svg>
  );
}

/** The parts of the gizmo as the newest frame has them. */
function followGizmo(view: SceneView): void {
  void frames.value;
  void scene.value;
  void preview.value;
  const { gizmo: { mode, space } } = editorView.value;
  const isShown = isStopped.value && editorView.value.mode === "3d";
  const what = isShown ? beginTransform(view) : null;
  const [first] = what?.parts ?? [];
  if (what === null || first === undefined) {
    if (parts.peek().length > 0) parts.value = [];
    return;
  }
  const isLocal = space === "local" || mode === "scale";
  const rotation = isLocal ? first.places.own.rotation : IDENTITY;
  parts.value = gizmoParts(mode, { middle: what.middle, rotation }, {
    project: (point) => view.measures.project(point),
    metresPerPixel: (depth) => view.measures.metresPerPixel(depth),
  });
}

function Part({ part: { kind, axis, line, shape } }: { readonly part: GizmoPart }) {
  const points = line.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const [x, y] = line.at(-1) ?? [0, 0];
  const name = `part ${shape} axis-${axis} ${hot.value === kind ? "hot" : ""}`;
  switch (shape) {
    case "plane":
      return <polygon class={name} points={points} data-part={kind} />;
    case "dot":
      return (
        <rect class={name} x={x - 7} y={y - 7} width={14} height={14} rx={2} data-part={kind} />
      );
    default:
      return (
        <g class={name} data-part={kind}>
          <polyline class="reach" points={points} />
          <polyline class="line" points={points} />
          {shape === "box" && <rect class="tip" x={x - 5} y={y - 5} width={10} height={10} />}
          {shape === "arrow" && <Arrow line={line} />}
        </g>
      );
  }
}

function Arrow({ line }: Pick<GizmoPart, "line">) {
  const [[fromX, fromY] = [0, 0], [x, y] = [0, 0]] = line;
  const length = Math.hypot(x - fromX, y - fromY);
  if (length < 12) return <circle class="tip" cx={x} cy={y} r={6} />;
  const [u, v] = [(x - fromX) / length, (y - fromY) / length];
  const at = (along: number, across: number) =>
    `${(x + u * along - v * across).toFixed(1)},${(y + v * along + u * across).toFixed(1)}`;
  return <polygon class="tip" points={`${at(8, 0)} ${at(-8, 6)} ${at(-8, -6)}`} />;
}

function Outline({ view, id, isFirst }: {
  readonly view: SceneView;
  readonly id: number;
  readonly isFirst: boolean;
}) {
  void frames.value;
  const name = `outline ${isFirst ? "first" : ""}`;
  const entity = byId.value.get(id);
  if (entity === undefined || entity.layer !== editorView.value.mode) return null;
  if (entity.layer !== "3d") {
    const rect = view.measures.rect(id);
    return rect && <rect class={name} x={rect.x} y={rect.y} width={rect.w} height={rect.h} />;
  }
  const box = view.measures.box(id);
  if (box === null) return null;
  const corners = cornersOf(box).map((corner) => view.measures.project(corner));
  const path = EDGES.map(([a, b]) => {
    const [from, to] = [corners[a], corners[b]];
    if (!from || !to) return "";
    return `M${from.x.toFixed(1)} ${from.y.toFixed(1)}L${to.x.toFixed(1)} ${to.y.toFixed(1)}`;
  }).join("");
  return <path class={name} d={path} />;
}

/** Colliders, light ranges and camera frustums of the selection. */
function Shapes({ view }: { readonly view: SceneView }) {
  void frames.value;
  const at = (point: Vec3) => {
    const pixel = view.measures.project(point);
    return pixel === null ? null : [pixel.x.toFixed(1), pixel.y.toFixed(1)] as const;
  };
  return (
    <>
      {editorView.value.selection.slice(0, MOST_SHAPES).flatMap((id) =>
        shapesNow(view, id).map(({ kind, lines, handles }) => (
          <g key={`${id} ${kind}`} class={`shape ${kind}`}>
            {lines.map((line, n) => {
              const pixels = line.map(at);
              if (pixels.includes(null)) {
                return null;
              }
              return (
                <polyline
                  key={n}
                  points={pixels.map((one) => one?.join(",")).join(" ")}
                />
              );
            })}
            {isStopped.value && handles.map(({ trait, field, at: place }) => {
              const pixel = at(place);
              if (pixel === null) {
                return null;
              }
              const [x, y] = pixel;
              const name = `${trait}.${field}`;
              return (
                <circle key={name} class="grip" cx={x} cy={y} r={5} data-shape={`${id} ${name}`}>
                  <title>{name}</title>
                </circle>
              );
            })}
          </g>
        ))
      )}
    </>
  );
}

/** Patrol routes of the selection, point by point. */
function Ways({ view }: { readonly view: SceneView }) {
  void frames.value;
  return (
    <>
      {editorView.value.selection.slice(0, MOST_SHAPES).map((id) => {
        const points = wayNow(id).flatMap((point) => {
          const own = view.measures.places(point.id)?.own;
          const pixel = own?.placed === true ? view.measures.project(own.affine.offset) : null;
          return pixel === null ? [] : [{ point, x: pixel.x, y: pixel.y }];
        });
        // The gizmo is at its own position, even if the route returns there.
        const grips = new Map(points.map((one) => [one.point.id, one]));
        grips.delete(id);
        return (
          <g key={id} class="shape way">
            <polyline
              points={points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")}
            />
            {[...grips.values()].map(({ point, x, y }) => (
              <circle key={point.id} class="grip" cx={x} cy={y} r={5} data-way={point.id}>
                <title>{point.name.slice(0, LONGEST_NAME)}</title>
              </circle>
            ))}
          </g>
        );
      })}
    </>
  );
}

/** Handles of 2D entities: at corners and edges, and for rotation. */
function Grips({ view }: { readonly view: SceneView }) {
  void frames.value;
  return (
    <>
      {flatHandles(view).map(({ id, kind, x, y }) => {
        if (kind === "move") return null;
        const name = `grip ${kind}`;
        if (kind === "rotate") {
          return <circle key={id} class={name} cx={x} cy={y} r={6} data-grip={id} />;
        }
        return (
          <rect key={id} class={name} x={x - 5} y={y - 5} width={10} height={10} data-grip={id} />
        );
      })}
    </>
  );
}

/** Icons of invisible entities: cameras, lights, sounds. */
const MARKED = {
  Camera: "M-7 -4h10v8h-10zM3 -1l4 -3v8l-4 -3",
  Light: "M0 -7a5 5 0 0 1 2.5 9.3V4h-5V2.3A5 5 0 0 1 0 -7M-2 6.5h4",
  AudioSource: "M-7 -2h3l4 -4v12l-4 -4h-3zM3 -3a4 4 0 0 1 0 6",
  ParticleEmitter: "M0 -7v4M0 3v4M-7 0h4M3 0h4M-4 -4l2 2M2 2l2 2M4 -4l-2 2M-2 2l-2 2",
} as const;

/** Entities with an icon, computed once for each scene. */
const marked = computed(() => {
  const found: { readonly entity: Entity; readonly shape: string }[] = [];
  for (const entity of scene.value.entities) {
    const shape = markOf(entity);
    if (shape !== null) found.push({ entity, shape });
    if (found.length === MOST_MARKS) break;
  }
  return found;
});

function Marks({ view }: { readonly view: SceneView }) {
  void frames.value;
  const marks: ComponentChildren[] = [];
  for (const { entity, shape } of marked.value) {
    const place = view.measures.places(entity.id)?.own;
    if (place?.placed !== true) continue;
    const at: Vec3 = place.affine.offset;
    const pixel = view.measures.project(at);
    if (pixel === null) continue;
    const isSelected = editorView.value.selection.includes(entity.id);
    marks.push(
      <g
        key={entity.id}
        class={`mark-3d ${isSelected ? "first" : ""}`}
        transform={`translate(${pixel.x.toFixed(1)} ${pixel.y.toFixed(1)})`}
        data-entity={entity.id}
      >
        <circle r={11} />
        <path d={shape} />
      </g>,
    );
  }
  return <>{marks}</>;
}

function markOf({ layer, traits }: Entity): string | null {
  if (layer !== "3d" || traits["Renderable3D"] !== undefined) return null;
  for (const [name, shape] of Object.entries(MARKED)) if (traits[name] !== undefined) return shape;
  return null;
}

/** The edge of the game's screen. */
function Screen({ view }: { readonly view: SceneView }) {
  void frames.value;
  const { x, y, w, h } = view.screenRect;
  return <rect class="screen-edge" x={x} y={y} width={w} height={h} />;
}

/** Name of the entity below the resting pointer. */
function Hovered() {
  const name = byId.value.get(hovered.value?.id ?? NaN)?.name;
  if (hovered.value === null || name === undefined) return null;
  const { x, y } = hovered.value.at;
  return <text class="name" x={x + 14} y={y + 22}>{name.slice(0, LONGEST_NAME)}</text>;
}

function Marquee() {
  if (marquee.value === null) return null;
  const { from, to } = marquee.value;
  return (
    <rect
      class="marquee"
      x={Math.min(from.x, to.x)}
      y={Math.min(from.y, to.y)}
      width={Math.abs(to.x - from.x)}
      height={Math.abs(to.y - from.y)}
    />
  );
}
