import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** An item of a menu; `null` in a list of items is a separator. */
export interface MenuItem {
  readonly title: string;
  readonly keys?: string;
  readonly disabled?: boolean;
  readonly kind?: "" | "danger";
  readonly onChoose: () => void;
}

/** A button that opens a menu (WAI-ARIA menu button pattern). */
export function MenuButton({ label, items, children, class: kind = "button", isNamed = false }: {
  /** Topic of the menu; read aloud, and shown on hover. */
  readonly label: string;
  /** Whether the button's own words are its name. */
  readonly isNamed?: boolean;
  readonly items: readonly (MenuItem | null)[];
  readonly children: ComponentChildren;
  readonly class?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <span class="anchor">
      <button
        ref={button}
        type="button"
        class={kind}
        aria-label={isNamed ? undefined : label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
      </button>
      {isOpen && <Menu label={label} items={items} onClose={close} />}
    </span>
  );
}

function Menu({ label, items, onClose }: {
  readonly label: string;
  readonly items: readonly (MenuItem | null)[];
  readonly onClose: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const entries = () => [...box.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []];
  useEffect(() => {
    entries()[0]?.focus();
    const leave = ({ target }: PointerEvent) => {
      const around = box.current?.parentElement;
      if (target instanceof Node && around?.contains(target) === false) onClose();
    };
    document.addEventListener("pointerdown", leave, true);
    return () => document.removeEventListener("pointerdown", leave, true);
  }, []);
  const go = (to: number) => {
    const all = entries();
    all[(to + all.length) % all.length]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = entries().findIndex((one) => one === document.activeElement);
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") onClose();
    else if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(-1);
    else return;
    event.preventDefault();
  };
  return (
    <div class="menu" role="menu" aria-label={label} ref={box} onKeyDown={onKeyDown}>
      {items.map((item, n) =>
        item === null ? <hr key={n} /> : (
          <button
            key={item.title}
            type="button"
            role="menuitem"
            tabIndex={-1}
            class={item.kind ?? ""}
            aria-disabled={item.disabled === true}
            onClick={() => {
              if (item.disabled === true) return;
              onClose();
              item.onChoose();
            }}
          >
            <span>{item.title}</span>
            {item.keys !== undefined && <kbd>{item.keys}</kbd>}
          </button>
        )
      )}
    </div>
  );
}
