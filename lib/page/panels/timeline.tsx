import { useEffect, useRef, useState } from "preact/hooks";
import { assetByName } from "../model/assets.ts";
import {
  type ClipPart,
  type PageClip,
  rulerTicks,
  type TimelineTrack,
} from "../model/clip-tracks.ts";
import {
  clip,
  clipAsset,
  keyThere,
  movePart,
  movePlayhead,
  playhead,
  removePart,
  round,
  showTimeline,
} from "../model/timeline.ts";
import { IconButton } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { chosen } from "./chosen-part.ts";
import { TimelineBar } from "./timeline-bar.tsx";

const ROW = 28;
/** More parts than these are shown and not dragged: they lie too close. */
const MOST_PARTS = 200;
/** Seconds that an arrow key moves; ten times as far with Shift. */
const NUDGE = 0.05;
/** CSS pixels between two numbers of the ruler, at least. */
const RULER_ROOM = 70;

/** Tracks, keys and items of a clip on a ruler; the picture shows the moment at the playhead. */
export function Timeline() {
  useEffect(showTimeline, []);
  const [shown, asset] = [clip.value, clipAsset.value];
  return (
    <section class="panel timeline" aria-label="Timeline">
      {shown === null || asset === undefined
        ? (
          <p class="empty dim">
            {asset === undefined
              ? "Select an animation, a timeline, or an entity that plays one."
              : `“${asset.name.slice(0, 120)}” cannot be shown in time.`}
          </p>
        )
        : (
          <>
            <TimelineBar clip={shown} asset={asset} />
            <Tracks shown={shown} />
          </>
        )}
    </section>
  );
}

function Tracks({ shown }: { readonly shown: PageClip }) {
  return (
    <div class="tracks">
      <Ruler length={shown.length} />
      <VirtualList
        class="lines"
        role="list"
        aria-label="Tracks"
        items={shown.tracks}
        rowHeight={ROW}
        keyOf={({ index }) => index}
        row={(track) => (
          <Track track={track} length={shown.length} isKeyed={shown.kind === "animation"} />
        )}
      />
      {shown.tracks.length === 0 && (
        <p class="empty dim">
          {shown.kind === "animation"
            ? "No tracks yet: select an entity and set a key of it."
            : "No tracks yet: add an item."}
        </p>
      )}
    </div>
  );
}

/** Seconds along the top; dragging on it moves the playhead. */
function Ruler({ length }: { readonly length: number }) {
  const lane = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (lane.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 600));
    observer.observe(lane.current);
    return () => observer.disconnect();
  }, []);
  const time = playhead.value;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = NUDGE * (event.shiftKey ? 10 : 1);
    const now = time ?? 0;
    if (event.key === "ArrowRight") movePlayhead(now + by);
    else if (event.key === "ArrowLeft") movePlayhead(now - by);
    else if (event.key === "Home") movePlayhead(0);
    else if (event.key === "End") movePlayhead(length);
    else if (event.key === "Escape") playhead.value = null;
    else return;
    event.preventDefault();
  };
  return (
    <div class="track ruler">
      <span class="track-name dim">
        {time === null ? "scene as it is" : `${time.toFixed(2)} s`}
      </span>
      <div
        ref={lane}
        class="lane"
        role="slider"
        tabIndex={0}
        aria-label="Playhead"
        aria-valuemin={0}
        aria-valuemax={length}
        aria-valuenow={time ?? 0}
        aria-valuetext={time === null ? "not set" : `${time.toFixed(2)} seconds`}
        onKeyDown={onKeyDown}
        onPointerDown={(down) =>
          dragged(down, {
            lane: lane.current,
            onMove: (part) => movePlayhead(part * length),
            fromStart: true,
          })}
      >
        {rulerTicks(length, width / RULER_ROOM).map((tick) => (
          <span key={tick} class="ruler-tick" style={{ left: percent(tick, length) }}>{tick}</span>
        ))}
        <PlayheadLine length={length} />
      </div>
    </div>
  );
}

function PlayheadLine({ length }: { readonly length: number }) {
  const time = playhead.value;
  return time === null
    ? null
    : <span class="playhead" aria-hidden="true" style={{ left: percent(time, length) }} />;
}

function Track({ track, length, isKeyed }: {
  readonly track: TimelineTrack;
  readonly length: number;
  readonly isKeyed: boolean;
}) {
  const lane = useRef<HTMLDivElement>(null);
  const title = titleOf(track);
  const isMany = track.parts.length > MOST_PARTS;
  return (
    <div class="track" role="listitem">
      <span class="track-name">
        <span class="cut" title={title}>{title}</span>
        {isKeyed && (
          <IconButton
            icon="add"
            label={`Set a key of ${title} at the playhead`}
            kind="quiet"
            onClick={() => void keyThere(track)}
          />
        )}
      </span>
      <div class="lane" ref={lane}>
        {isMany ? <Marks track={track} length={length} /> : track.parts.map((part) => (
          <Part
            key={part.index}
            track={track}
            part={part}
            length={length}
            lane={() => lane.current}
          />
        ))}
        <PlayheadLine length={length} />
      </div>
    </div>
  );
}

/** Too many keys to edit are drawn as marks. */
function Marks({ track: { parts }, length }: {
  readonly track: TimelineTrack;
  readonly length: number;
}) {
  const path = parts.map(({ t }) => `M${(t / length * 1000).toFixed(1)} 6V22`).join("");
  return (
    <svg
      class="marks"
      viewBox="0 0 1000 28"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${parts.length} keys`}
    >
      <path d={path} />
    </svg>
  );
}

/** A key or an item: dragged, moved by the arrows, removed. */
function Part({ track, part, length, lane }: {
  readonly track: TimelineTrack;
  readonly part: ClipPart;
  readonly length: number;
  readonly lane: () => HTMLElement | null;
}) {
  const [tried, setTried] = useState<{ readonly t: number; readonly duration: number } | null>(
    null,
  );
  const isItem = track.type !== "";
  // An item without a duration extends to the end; sounds and signals have their own length.
  const isOpen = part.duration === null && (track.type === "audio" || track.type === "signal");
  const lasts = part.duration ?? (isItem && !isOpen ? length - part.t : 0);
  const { t, duration } = tried ?? { t: part.t, duration: lasts };
  const text = part.clip === "" ? part.text : assetByName.value.get(part.clip)?.name ?? "missing";
  const isChosen = chosen.value?.track === track.index && chosen.value.index === part.index;
  const move = async (to: { readonly t: number; readonly duration?: number }) => {
    await movePart(track, part, to);
    setTried(null); // keeps the preview until the edit is shown
  };
  const drag = (down: PointerEvent, edge: boolean) => {
    chosen.value = { track: track.index, index: part.index };
    let now: { readonly t: number; readonly duration: number } | null = null;
    dragged(down, {
      lane: lane(),
      fromStart: false,
      onMove(by) {
        const seconds = by * length;
        now = edge
          ? { t: part.t, duration: Math.max(0.01, round(lasts + seconds)) }
          : { t: clamp(round(part.t + seconds), length), duration: lasts };
        setTried(now);
      },
      onEnd() {
        if (now === null) return;
        const isLonger = edge || part.duration !== null;
        void move({ t: now.t, ...(isItem && isLonger && { duration: now.duration }) });
      },
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = NUDGE * (event.shiftKey ? 10 : 1);
    if (event.key === "ArrowLeft") void move({ t: clamp(round(part.t - by), length) });
    else if (event.key === "ArrowRight") void move({ t: clamp(round(part.t + by), length) });
    else if (event.key === "Delete") void removePart(track, part);
    else return;
    event.preventDefault();
  };
  return (
    <button
      type="button"
      class={`${isItem ? `item item-${track.type}` : "key"} ${isChosen ? "chosen" : ""}`}
      aria-label={`${isItem ? track.type : "key"} ${text.slice(0, 80)} at ${t} s`.replace(
        / +/g,
        " ",
      )}
      aria-pressed={isChosen}
      title={`${text.slice(0, 200)} at ${t} s`}
      style={isItem && !isOpen
        ? { left: percent(t, length), width: percent(Math.min(duration, length - t), length) }
        : { left: percent(t, length) }}
      onPointerDown={(down) => drag(down, false)}
      onClick={() => chosen.value = { track: track.index, index: part.index }}
      onDblClick={() => movePlayhead(part.t)}
      onKeyDown={onKeyDown}
    >
      {isItem && <span class="cut">{text.slice(0, 80)}</span>}
      {isItem && !isOpen && (
        <span
          class="edge"
          aria-hidden="true"
          onPointerDown={(down) => {
            down.stopPropagation();
            drag(down, true);
          }}
        />
      )}
    </button>
  );
}

/**
 * Follows a pointer along a lane until it is released. Escape does not cancel it, because undo
 * reverts a gesture.
 *
 * @param how.fromStart Reports the position within the lane instead of the distance moved. Both are
 * fractions of the lane.
 */
function dragged(down: PointerEvent, { lane, onMove, onEnd, fromStart }: {
  readonly lane: HTMLElement | null;
  readonly onMove: (part: number) => void;
  readonly onEnd?: () => void;
  readonly fromStart: boolean;
}): void {
  const target = down.currentTarget;
  if (!(target instanceof HTMLElement) || lane === null || down.button !== 0) return;
  const { left, width } = lane.getBoundingClientRect();
  const from = fromStart ? left : down.clientX;
  const move = ({ clientX }: PointerEvent) => onMove((clientX - from) / width);
  target.setPointerCapture(down.pointerId);
  if (fromStart) move(down);
  target.addEventListener("pointermove", move);
  target.addEventListener("lostpointercapture", () => {
    target.removeEventListener("pointermove", move);
    onEnd?.();
  }, { once: true });
}

function titleOf({ target, field, type }: TimelineTrack): string {
  const what = field === "" ? type : field;
  return (target === "" ? what : `${target} ${what}`).slice(0, 300);
}

function clamp(t: number, length: number): number {
  return Math.max(0, Math.min(length, t));
}

function percent(t: number, length: number): string {
  return `${Number((t / length * 100).toFixed(3))}%`;
}
