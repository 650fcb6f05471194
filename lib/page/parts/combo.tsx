import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { VirtualList } from "./virtual-list.tsx";

/** An option. */
export interface Choice {
  /** The value of the option. */
  readonly value: string;
  readonly title: string;
  /** Dimmed text next to its title: a folder, a type. */
  readonly note?: string;
  readonly icon?: IconName;
}

const ROW = 26;

/** A list to choose from by typing a part of a title (WAI-ARIA combobox pattern). */
export function Chooser({ label, choices, onChoose, onClose }: {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly onChoose: (value: string) => void;
  readonly onClose: () => void;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const words = query.toLowerCase().split(/\s+/);
  const found = choices.filter(({ title, note = "" }) => {
    const text = `${title} ${note}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const current = Math.min(at, found.length - 1);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    const close = ({ target }: PointerEvent) => {
      if (target instanceof Node && box.current?.contains(target) === false) onClose();
    };
    document.addEventListener("pointerdown", close, true);
    return () => document.removeEventListener("pointerdown", close, true);
  }, []);
  const choose = (choice: Choice | undefined) => {
    if (choice !== undefined) onChoose(choice.value);
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") return onClose();
    if (event.key === "Enter") return choose(found[current]);
    const way = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (way === 0) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(found.length - 1, current + way)));
  };
  return (
    <div class="chooser" ref={box}>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={`${id}-${current}`}
        placeholder={label}
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <VirtualList
        class="choices"
        id={id}
        role="listbox"
        aria-label={label}
        items={found}
        rowHeight={ROW}
        show={current}
        keyOf={({ value }) => value}
        row={(choice, n) => (
          <div
            role="option"
            id={`${id}-${n}`}
            class="choice"
            aria-selected={n === current}
            onClick={() => choose(choice)}
          >
            {choice.icon !== undefined && <Icon name={choice.icon} />}
            <span class="title cut">{choice.title}</span>
            <span class="dim cut">{choice.note}</span>
          </div>
        )}
      />
      {found.length === 0 && <p class="empty">No match</p>}
    </div>
  );
}
