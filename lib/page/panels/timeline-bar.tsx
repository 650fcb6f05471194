import { useEffect, useState } from "preact/hooks";
import type { ProjectAsset } from "../model/assets.ts";
import { assets } from "../model/assets.ts";
import type { ClipPart, PageClip, TimelineTrack } from "../model/clip-tracks.ts";
import { isStopped, selected, traits } from "../model/editor.ts";
import { askFor } from "../model/questions.ts";
import {
  addItem,
  movePart,
  movePlayhead,
  playClip,
  player,
  players,
  playhead,
  removePart,
  setClip,
  setKey,
  targetOfSelected,
} from "../model/timeline.ts";
import { type Choice, Chooser } from "../parts/combo.tsx";
import { Icon, IconButton } from "../parts/icon.tsx";
import { NumberField } from "../parts/number-field.tsx";
import { chosen } from "./chosen-part.ts";
import { FieldInput } from "./field-input.tsx";

const EASES = ["linear", "step", "in", "out", "inOut", "cubic"];

/** Controls of a clip, and of the selected key or item. */
export function TimelineBar({ clip, asset }: {
  readonly clip: PageClip;
  readonly asset: ProjectAsset;
}) {
  return (
    <div class="panel-bar timeline-bar">
      <PlayButton length={clip.length} />
      <strong class="cut clip-name" title={asset.path}>{asset.name.slice(0, 120)}</strong>
      <label class="inline">
        on
        <select
          aria-label="Entity that plays it"
          value={player.value ?? ""}
          onChange={({ currentTarget: { value } }) =>
            player.value = value === "" ? null : Number(value)}
        >
          <option value="">no entity</option>
          {players.value.map(({ id, name }) => (
            <option key={id} value={id}>{name.slice(0, 80)}</option>
          ))}
        </select>
      </label>
      <span class="inline short">
        <NumberField
          label="Length"
          value={clip.length}
          step={0.05}
          min={0.001}
          unit="s"
          onCommit={(length) => void setClip({ length })}
        />
      </span>
      <label class="inline">
        <input
          type="checkbox"
          checked={clip.loop}
          onChange={({ currentTarget }) => void setClip({ loop: currentTarget.checked })}
        />
        loops
      </label>
      {clip.kind === "animation" ? <AddKey /> : <AddItem />}
      {clip.kind === "animation" && player.value !== null && (
        <button
          type="button"
          class="button"
          onClick={() => void playClip()}
        >
          Play in game
        </button>
      )}
      <ChosenPart clip={clip} />
    </div>
  );
}

/** Runs the playhead over the clip, again and again; the scene stays as it is. */
function PlayButton({ length }: { readonly length: number }) {
  const [isRunning, setRunning] = useState(false);
  useEffect(() => {
    if (!isRunning || !isStopped.value) return setRunning(false);
    let frame = 0;
    let before = performance.now();
    const go = (now: number) => {
      const next = (playhead.peek() ?? 0) + (now - before) / 1000;
      // Skips steps too small to be visible.
      if (now - before >= 30) {
        movePlayhead(next > length ? 0 : next);
        before = now;
      }
      frame = requestAnimationFrame(go);
    };
    frame = requestAnimationFrame(go);
    return () => cancelAnimationFrame(frame);
  }, [isRunning, isStopped.value, length]);
  return (
    <>
      <IconButton
        icon={isRunning ? "pause" : "play"}
        label={isRunning ? "Hold the playhead" : "Run the playhead"}
        kind="quiet"
        disabled={!isStopped.value}
        onClick={() => setRunning(!isRunning)}
      />
      <IconButton
        icon="stop"
        label="Show the scene as it is"
        kind="quiet"
        disabled={playhead.value === null}
        onClick={() => {
          setRunning(false);
          playhead.value = null;
        }}
      />
    </>
  );
}

/** Sets a key at the playhead for a field of the selected entity, which is the player or below it. */
function AddKey() {
  const [isOpen, setOpen] = useState(false);
  const [entity] = selected.value;
  const target = targetOfSelected();
  const canKey = entity !== undefined && target !== null;
  const choices = Object.keys(entity?.traits ?? {}).flatMap((trait) =>
    Object.entries(traits.value.get(trait)?.fields ?? {}).map(([field, { doc }]) => ({
      value: `${trait}.${field}`,
      title: `${trait}.${field}`,
      note: doc,
    }))
  );
  const add = (name: string) => {
    const [trait = "", field = ""] = name.split(".");
    const value = entity?.traits[trait]?.[field] ??
      traits.value.get(trait)?.fields[field]?.default;
    if (value === undefined || target === null) return;
    void setKey({ target, field: name }, { t: playhead.value ?? 0, value });
  };
  return (
    <span class="anchor">
      <button
        type="button"
        class="button"
        disabled={!canKey}
        title={canKey
          ? "At the playhead, with the value that the entity has now"
          : "Select the entity that plays it, or one below that"}
        aria-haspopup="listbox"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="add" /> Key
      </button>
      {isOpen && (
        <Chooser
          label="Which field to set a key of"
          choices={choices}
          onChoose={add}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}

/** Adds an item at the playhead. */
function AddItem() {
  const [isOpen, setOpen] = useState(false);
  const choices: readonly Choice[] = [
    { value: "signal", title: "Signal…", note: "what rules wait for" },
    { value: "on", title: "Activation on", note: "of the selected entity" },
    { value: "off", title: "Activation off", note: "of the selected entity" },
    ...assets.value.filter(({ type }) => type === "animation" || type === "audio").map(
      ({ guid, name, type, path }) => ({ value: `${type} ${guid}`, title: name, note: path }),
    ),
  ];
  const add = async (value: string) => {
    const [type = "", clip = ""] = value.split(" ");
    if (type === "on" || type === "off") {
      return await addItem("activation", { active: type === "on" });
    }
    if (type !== "signal") return await addItem(type, { clip });
    const signal = await askFor({
      title: "Signal",
      text: "Rules that wait for it run when the playhead passes.",
      label: "Name",
      value: "",
      done: "Add",
    });
    if (signal !== null) await addItem("signal", { signal });
  };
  return (
    <span class="anchor">
      <button
        type="button"
        class="button"
        aria-haspopup="listbox"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="add" /> Item
      </button>
      {isOpen && (
        <Chooser
          label="Which item to add"
          choices={choices}
          onChoose={(value) => void add(value)}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}

/** Time, value and ease of the chosen key; time and duration of the chosen item. */
function ChosenPart({ clip }: { readonly clip: PageClip }) {
  const track = clip.tracks.find(({ index }) => index === chosen.value?.track);
  const part = track?.parts.find(({ index }) => index === chosen.value?.index);
  if (track === undefined || part === undefined) return null;
  return (
    <span class="chosen-part" role="group" aria-label="Chosen">
      <span class="inline short">
        <NumberField
          label="Time"
          value={part.t}
          step={0.01}
          min={0}
          unit="s"
          onCommit={(t) => void movePart(track, part, { t })}
        />
      </span>
      {track.type === ""
        ? <KeyFields track={track} part={part} />
        : part.duration !== null && (
          <span class="inline short">
            <NumberField
              label="Duration"
              value={part.duration}
              step={0.01}
              min={0}
              unit="s"
              onCommit={(duration) => void movePart(track, part, { t: part.t, duration })}
            />
          </span>
        )}
      <IconButton
        icon="trash"
        label={track.type === "" ? "Remove this key" : "Remove this item"}
        kind="quiet"
        onClick={() => void removePart(track, part)}
      />
    </span>
  );
}

function KeyFields({ track, part }: { readonly track: TimelineTrack; readonly part: ClipPart }) {
  const [trait = "", field = ""] = track.field.split(".");
  const schema = traits.value.get(trait)?.fields[field];
  const set = (change: Partial<Pick<ClipPart, "value" | "ease">>) =>
    void setKey(track, { t: part.t, value: part.value, ease: part.ease, ...change });
  return (
    <>
      {schema !== undefined && (
        <span class="inline short">
          <FieldInput
            label={`Value of ${track.field}`}
            schema={schema}
            layer="3d"
            value={part.value}
            disabled={false}
            onPreview={() => {}}
            onCommit={(value) => set({ value })}
          />
        </span>
      )}
      <select
        class="ease"
        aria-label="Ease to the next key"
        value={part.ease}
        disabled={part.ease === "cubic"}
        onChange={({ currentTarget }) => set({ ease: currentTarget.value })}
      >
        {EASES.filter((ease) => ease !== "cubic" || part.ease === "cubic").map((ease) => (
          <option key={ease} value={ease}>{ease}</option>
        ))}
      </select>
    </>
  );
}
