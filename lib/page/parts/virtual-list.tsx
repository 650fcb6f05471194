import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";

/** Rows beyond the edges that are drawn, so that a quick wheel finds them. */
const BEYOND = 8;

/** Props of a list; others go to its box. */
interface VirtualListProps<T> {
  readonly items: readonly T[];
  /** CSS pixels; every row is as high. */
  readonly rowHeight: number;
  readonly row: (item: T, index: number) => JSX.Element;
  readonly keyOf: (item: T, index: number) => string | number;
  /** Index of the row to scroll to when it changes; -1 for none. */
  readonly show?: number;
  /** Whether it stays at its end as rows come, while it is there. */
  readonly stick?: boolean;
  readonly class: string;
  readonly role: "list" | "listbox" | "log" | "tree";
  readonly id?: string;
  readonly tabIndex?: number;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly "aria-label": string;
  readonly "aria-multiselectable"?: boolean;
  readonly "aria-activedescendant"?: string;
}

/** A list of any length; the document contains only its visible rows. */
export function VirtualList<T>(
  { items, rowHeight, row, keyOf, show, stick, ...attributes }: VirtualListProps<T>,
) {
  const box = useRef<HTMLDivElement>(null);
  const [{ top, height }, setSeen] = useState({ top: 0, height: 600 });
  const atEnd = useRef(true);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setSeen({ top: element.scrollTop, height: element.clientHeight })
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || show === undefined || show < 0) return;
    const [from, to] = [show * rowHeight, (show + 1) * rowHeight];
    if (from < element.scrollTop) element.scrollTop = from;
    else if (to > element.scrollTop + element.clientHeight) {
      element.scrollTop = to - element.clientHeight;
    }
  }, [show]);

  useLayoutEffect(() => {
    if (stick && atEnd.current && box.current !== null) {
      box.current.scrollTop = box.current.scrollHeight;
    }
  }, [items]);

  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const end = Math.min(items.length, Math.ceil((top + height) / rowHeight) + BEYOND);
  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    atEnd.current = left < rowHeight;
    setSeen({ top: element.scrollTop, height: element.clientHeight });
  };
  return (
    <div {...attributes} ref={box} onScroll={onScroll}>
      <div
        class="virtual"
        role="presentation"
        style={{ height: `${items.length * rowHeight}px` }}
      >
        <div
          role="presentation"
          style={{ transform: `translateY(${first * rowHeight}px)` }}
        >
          {items.slice(first, end).map((item, n) => (
            <div
              key={keyOf(item, first + n)}
              role="presentation"
              class="virtual-row"
              style={{ height: `${rowHeight}px` }}
            >
              {row(item, first + n)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
