import { useRef } from "preact/hooks";
import { sizes } from "../model/page.ts";

/** The edge between two parts of the page, which can be moved with a pointer or with the arrows. */
export function Split({ name, from, least, most }: {
  /** The part that it resizes, for screen readers. */
  readonly name: string;
  /** Side of the resized part. */
  readonly from: "left" | "right" | "bottom";
  /** Its size in CSS pixels. */
  readonly least: number;
  readonly most: number;
}) {
  const element = useRef<HTMLDivElement>(null);
  const isFlat = from === "bottom";
  const sizeNow = () => {
    const beside = from === "left"
      ? element.current?.previousElementSibling
      : element.current?.nextElementSibling;
    const box = beside?.getBoundingClientRect();
    return (isFlat ? box?.height : box?.width) ?? least;
  };
  const set = (requested: number) => {
    const size = Math.round(Math.min(most, Math.max(least, requested)));
    sizes.value = { ...sizes.value, [from]: size };
  };
  const onPointerDown = (down: PointerEvent) => {
    const target = element.current;
    if (target === null || down.button !== 0) return;
    down.preventDefault();
    target.setPointerCapture(down.pointerId);
    const start = sizeNow();
    const move = ({ clientX, clientY }: PointerEvent) => {
      const by = isFlat ? clientY - down.clientY : clientX - down.clientX;
      set(start + (from === "left" ? by : -by));
    };
    const end = () => {
      target.removeEventListener("pointermove", move);
      target.removeEventListener("lostpointercapture", end);
    };
    target.addEventListener("pointermove", move);
    target.addEventListener("lostpointercapture", end);
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const grow = from === "left" ? "ArrowRight" : isFlat ? "ArrowUp" : "ArrowLeft";
    const shrink = from === "left" ? "ArrowLeft" : isFlat ? "ArrowDown" : "ArrowRight";
    if (key === grow) set(sizeNow() + 16);
    if (key === shrink) set(sizeNow() - 16);
  };
  return (
    <div
      ref={element}
      class={`split ${isFlat ? "flat" : "upright"}`}
      role="separator"
      tabIndex={0}
      aria-label={name}
      aria-orientation={isFlat ? "horizontal" : "vertical"}
      aria-valuenow={sizes.value[from]}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
