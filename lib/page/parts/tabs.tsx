import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A view of which only one at a time is shown. */
export interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: string;
  /** Highlighted text next to its title: a count. */
  readonly badge?: string | undefined;
}

/** Tabs (WAI-ARIA tabs pattern): arrows go from one to the next. */
export function Tabs<Name extends string>({ tabs, current, onChange, label, children, beside }: {
  readonly tabs: readonly Tab<Name>[];
  readonly current: Name;
  readonly onChange: (name: Name) => void;
  readonly label: string;
  readonly children: ComponentChildren;
  /** At the right end of the row of tabs. */
  readonly beside?: ComponentChildren;
}) {
  const id = useId();
  const go = (by: number) => {
    const at = tabs.findIndex(({ name }) => name === current);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChange(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === "ArrowRight") go(1);
    if (key === "ArrowLeft") go(-1);
  };
  return (
    <div class="tabs">
      <div class="tab-row">
        <div role="tablist" aria-label={label} onKeyDown={onKeyDown}>
          {tabs.map(({ name, title, badge }) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === current}
              aria-controls={`${id}-panel`}
              tabIndex={name === current ? 0 : -1}
              onClick={() => onChange(name)}
            >
              {title}
              {badge !== undefined && <span class="badge">{badge}</span>}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div
        class="tab-panel"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${current}`}
      >
        {children}
      </div>
    </div>
  );
}
