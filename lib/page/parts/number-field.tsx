import { useRef, useState } from "preact/hooks";
import { numberFrom, shownNumber } from "../model/numbers.ts";

/** CSS pixels that a pointer moves before it drags a value. */
const SLACK = 3;

/** A number with a handle: its label is dragged, its text is typed, arrows step it. */
export function NumberField(
  { label, mark, value, step, min, max, integer = false, unit, disabled, ...on }: {
    /** Its label, read aloud. */
    readonly label: string;
    /** The dragged mark: an axis, or absent. */
    readonly mark?: string;
    /** `null`: the selected entities differ. */
    readonly value: number | null;
    /** Change per arrow key and per dragged pixel. */
    readonly step: number;
    readonly min?: number | undefined;
    readonly max?: number | undefined;
    readonly integer?: boolean;
    readonly unit?: string | undefined;
    /** Called during a drag, which is not an edit yet. */
    readonly onPreview?: ((value: number) => void) | undefined;
    /** Called when a drag ends at its initial value: there is no edit. */
    readonly onCancel?: (() => void) | undefined;
    /** Called once, at the end of a gesture. */
    readonly onCommit: (value: number) => void;
    readonly disabled?: boolean | undefined;
  },
) {
  const [typed, setTyped] = useState<string | null>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const bounded = (entered: number): number => {
    const rounded = integer ? Math.round(entered) : Number(entered.toPrecision(7));
    return Math.min(max ?? Infinity, Math.max(min ?? -Infinity, rounded));
  };
  const commit = (entered: number) => {
    const next = bounded(entered);
    if (next !== value) on.onCommit(next);
    else on.onCancel?.();
  };
  const finish = () => {
    const next = typed === null ? null : numberFrom(typed);
    setTyped(null);
    if (next !== null) commit(next);
  };
  const onPointerDown = (down: PointerEvent) => {
    const { currentTarget: target } = down;
    if (!(target instanceof HTMLElement) || down.button !== 0 || disabled) return;
    target.setPointerCapture(down.pointerId);
    const start = value ?? 0;
    let now: number | null = null;
    const move = ({ clientX, shiftKey, altKey }: PointerEvent) => {
      const by = clientX - down.clientX;
      if (now === null && Math.abs(by) < SLACK) return;
      now = bounded(start + by * step * (shiftKey ? 10 : altKey ? 0.1 : 1));
      setDragged(now);
      on.onPreview?.(now);
    };
    const end = () => {
      target.removeEventListener("pointermove", move);
      setDragged(null);
      if (now === null) input.current?.select();
      else commit(now);
    };
    target.addEventListener("pointermove", move);
    target.addEventListener("lostpointercapture", end, { once: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") finish();
    if (event.key === "Escape") setTyped(null);
    const way = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (way === 0) return;
    event.preventDefault();
    commit((value ?? 0) + way * step * (event.shiftKey ? 100 : 10));
  };
  const shown = typed ?? (dragged ?? value);
  return (
    <span class="number">
      {mark !== undefined && (
        <span class={`mark axis-${mark}`} onPointerDown={onPointerDown}>{mark}</span>
      )}
      <input
        ref={input}
        type="text"
        inputMode="decimal"
        aria-label={label}
        value={shown === null ? "" : typeof shown === "string" ? shown : shownNumber(shown)}
        placeholder={value !== null ? "" : mark === undefined ? "differ" : "–"}
        disabled={disabled}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onBlur={finish}
        onKeyDown={onKeyDown}
      />
      {unit !== undefined && <span class="unit" onPointerDown={onPointerDown}>{unit}</span>}
    </span>
  );
}
