import { act, redo, setView, undo } from "../model/actions.ts";
import {
  connection,
  gameState,
  history,
  isStopped,
  playState,
  timeScale,
  unsaved,
  view,
} from "../model/editor.ts";
import { canStop, step, stop, togglePlay } from "../model/game.ts";
import { type DialogName, openDialog, theme, toggleTheme } from "../model/page.ts";
import { saveScene } from "../model/scenes.ts";
import { IconButton, type IconName } from "../parts/icon.tsx";
import { ProjectMenu } from "./project-menu.tsx";

const GIZMOS = [
  ["translate", "move", "Move", "W"],
  ["rotate", "rotate", "Rotate", "E"],
  ["scale", "scale", "Scale", "R"],
] as const;
const LAYERS = [["3d", "3D"], ["2d", "2D"], ["ui", "UI"]] as const;
const DIALOGS: readonly (readonly [DialogName, IconName, string])[] = [
  ["build", "tools", "Build support"],
  ["publish", "publish", "Publish"],
  ["devices", "devices", "Devices"],
];

/** The bar at the top: project, undo, gizmos, play, dialogs. */
export function Toolbar() {
  const state = playState.value;
  const { gizmo, mode } = view.value;
  const { undo: done, redo: undone } = history.value;
  return (
    <header class="toolbar">
      <h1 class="aloud">Slipway</h1>
      <ProjectMenu />
      <div class="group">
        <IconButton
          icon="save"
          label="Save"
          keys="Ctrl+S"
          disabled={!unsaved.value || !isStopped.value}
          onClick={() => void saveScene()}
        />
        <IconButton
          icon="undo"
          label={`Undo ${done.at(-1)?.label ?? ""}`.trim()}
          keys="Ctrl+Z"
          disabled={done.length === 0 || !isStopped.value}
          onClick={() => void undo()}
        />
        <IconButton
          icon="redo"
          label={`Redo ${undone.at(-1)?.label ?? ""}`.trim()}
          keys="Ctrl+Shift+Z"
          disabled={undone.length === 0 || !isStopped.value}
          onClick={() => void redo()}
        />
      </div>
      <div class="group" role="group" aria-label="Gizmo">
        {GIZMOS.map(([name, icon, label, keys]) => (
          <IconButton
            key={name}
            icon={icon}
            label={label}
            keys={keys}
            pressed={gizmo.mode === name}
            onClick={() => setView({ gizmo: name })}
          />
        ))}
        <button
          type="button"
          class="button"
          title="Along which axes gizmos lie"
          onClick={() => setView({ space: gizmo.space === "world" ? "local" : "world" })}
        >
          {gizmo.space === "world" ? "World" : "Local"}
        </button>
      </div>
      <div class="group segmented" role="group" aria-label="Layer">
        {LAYERS.map(([name, title]) => (
          <button
            key={name}
            type="button"
            class="button"
            aria-pressed={mode === name}
            onClick={() => setView({ mode: name })}
          >
            {title}
          </button>
        ))}
      </div>
      <div class="group play" role="group" aria-label="Game">
        <IconButton
          icon={state === "playing" ? "pause" : "play"}
          label={state === "playing" ? "Pause" : isStopped.value ? "Play" : "Go on"}
          keys="Ctrl+P"
          kind={isStopped.value ? "primary" : ""}
          onClick={() => void togglePlay()}
        />
        <IconButton icon="step" label="One step" keys="." onClick={() => void step()} />
        <IconButton
          icon="stop"
          label="Stop"
          disabled={!canStop.value}
          onClick={() => void stop()}
        />
        <Ticks />
        {!isStopped.value && <Speed />}
      </div>
      <div class="group end">
        {connection.value !== "open" && (
          <span class="badge lost" role="status">
            {connection.value === "silent" ? "no answer" : "connecting"}
          </span>
        )}
        {DIALOGS.map(([name, icon, label]) => (
          <IconButton
            key={name}
            icon={icon}
            label={label}
            onClick={() => openDialog(name)}
          >
            <span class="wide-only">{label}</span>
          </IconButton>
        ))}
        <IconButton
          icon="theme"
          label={theme.value === "dark" ? "Light theme" : "Dark theme"}
          onClick={toggleTheme}
        />
      </div>
    </header>
  );
}

/** The tick of the game: a component of its own, because it is drawn ten times a second. */
function Ticks() {
  const text = isStopped.value ? "" : `${gameState.value.tick}`;
  const width = `${Math.max(5, text.length)}ch`;
  return (
    <div>
      <output class="tick" style={{ width }} aria-label="Ticks">{text}</output>
    </div>
  );
}

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** The speed of the game. */
function Speed() {
  const { value: now } = timeScale;
  const offered = SPEEDS.includes(now) ? SPEEDS : [now, ...SPEEDS];
  return (
    <select
      aria-label="Speed of the game"
      title="Speed of the game"
      value={now}
      onChange={({ currentTarget }) =>
        void act("set_time_scale", { scale: Number(currentTarget.value) })}
    >
      {offered.map((scale) => <option key={scale} value={scale}>× {scale}</option>)}
    </select>
  );
}
