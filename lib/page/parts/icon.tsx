import type { ComponentChildren } from "preact";

// The page's own pictures: lines of 1.6 on a grid of 16, in the colour of the text around.

const SHAPES = {
  add: "M8 3v10M3 8h10",
  android: "M4 7a4 4 0 0 1 8 0v5H4zM5 3l1 1.5M11 3l-1 1.5M6.5 6h.01M9.5 6h.01",
  asset: "M3 3h4l1.5 2H13v8H3z",
  audio: "M3 6h2l3-3v10L5 10H3zM10.5 6a3 3 0 0 1 0 4",
  box: "M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6",
  camera: "M2.5 5h7v6h-7zM9.5 7l4-2v6l-4-2",
  check: "M3 8.5l3.2 3.2L13 5",
  close: "M4 4l8 8M12 4l-8 8",
  console: "M2.5 3.5h11v9h-11zM5 6.5l2 1.5-2 1.5M8.5 10H11",
  devices: "M5 2.5h6v11H5zM7.2 11.7h1.6",
  down: "M4 6l4 4 4-4",
  duplicate: "M3 5.5h7v7.5H3zM6 5.5V3h7v7.5h-3",
  error: "M8 2.2l6 11H2zM8 6.5v3M8 11.4h.01",
  eye:
    "M1.5 8S4 3.7 8 3.7 14.5 8 14.5 8 12 12.3 8 12.3 1.5 8 1.5 8M8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  focus: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3M8 7.9h.01",
  grid: "M2.5 2.5h11v11h-11zM2.5 6.2h11M2.5 9.8h11M6.2 2.5v11M9.8 2.5v11",
  history: "M3 8a5 5 0 1 1 1.6 3.6M3 12.5V9.6h2.9M8 5.2V8l2 1.4",
  info: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 7.3v3.2M8 5.2h.01",
  light: "M5.8 11.5h4.4M6.5 13.5h3M8 2.5a4 4 0 0 0-2.2 7.3V11h4.4V9.8A4 4 0 0 0 8 2.5",
  menu: "M3 4.5h10M3 8h10M3 11.5h10",
  model: "M8 2.2l5 2.9v5.8l-5 2.9-5-2.9V5.1zM8 8V2.2M8 8l5 2.9M8 8l-5 2.9",
  move: "M8 2v12M2 8h12M6 4l2-2 2 2M6 12l2 2 2-2M4 6L2 8l2 2M12 6l2 2-2 2",
  pause: "M5 3.5v9M11 3.5v9",
  play: "M4.5 3l8 5-8 5z",
  publish: "M8 11V3M4.8 6L8 2.8 11.2 6M3 10.5v3h10v-3",
  redo: "M12.5 6H7a3.5 3.5 0 0 0 0 7h2M12.5 6L9.6 3.2M12.5 6L9.6 8.8",
  right: "M6 4l4 4-4 4",
  rotate: "M13 8a5 5 0 1 1-1.7-3.7M13 2.5v3h-3",
  save: "M3 3h8l2 2v8H3zM5.5 3v3.5h4.5V3M5.5 13V9.5h5V13",
  scale: "M3 9v4h4M3 13l5-5M9 3h4v4M13 3L9.5 6.5",
  scene: "M2.5 12.5l3.5-5 2.5 3 2-2.5 3 4.5zM10.7 4.6h.01",
  search: "M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8M10 10l3.2 3.2",
  select:
    "M2.5 4.5v-2h2M6.5 2.5h2M10.5 2.5h2v2M2.5 6.5v2M2.5 10.5v2h2M12.5 6.3v.9M7.5 7.5l6 2.2-2.6 1.2-1.2 2.6z",
  settings: "M3 4.5h6M12 4.5h1M3 11.5h1M7 11.5h6M10.5 3v3M5.5 10v3",
  snap:
    "M4 2.5v6a4 4 0 0 0 8 0v-6M4 5.5h2.5M9.5 5.5H12M6.5 2.5v6a1.5 1.5 0 0 0 3 0v-6M4 2.5h2.5M9.5 2.5H12",
  step: "M4 3.5l6 4.5-6 4.5zM12 3.5v9",
  stop: "M4 4h8v8H4z",
  text: "M3.5 4V3h9v1M8 3v10M6 13h4",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  timeline: "M2.5 4h7M5.5 8h8M2.5 12h5M11 2.5v11",
  tools: "M9.5 3.2a3 3 0 0 0-3 4.3L3 11l2 2 3.5-3.5a3 3 0 0 0 4.2-3.6L11 7.6 8.7 7.3 8.4 5z",
  trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.5M9.2 7v3.5",
  undo: "M3.5 6H9a3.5 3.5 0 0 1 0 7H7M3.5 6l2.9-2.8M3.5 6l2.9 2.8",
  view2d: "M2.5 3.5h11v9h-11zM5 9.8l2-2.6 1.6 1.8L10.3 7l1.2 2.8",
  watch: "M2 9.5h2.5L6 5l2.5 7L10.5 8H14",
} as const;

/** A picture of the page's own. */
export type IconName = keyof typeof SHAPES;

/** Draws an icon; the label of its control gives the meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}

/** A button with an icon, and text if there is room. */
export function IconButton({ icon, label, pressed, disabled, onClick, keys, children, kind = "" }: {
  readonly icon: IconName;
  /** Its action; read aloud, and shown on hover. */
  readonly label: string;
  /** State of a toggle button. */
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly onClick: (event: MouseEvent) => void;
  /** The keys that do the same, for the hover. */
  readonly keys?: string;
  readonly children?: ComponentChildren;
  readonly kind?: "" | "primary" | "danger" | "quiet";
}) {
  return (
    <button
      type="button"
      class={`button ${kind}`}
      aria-label={label}
      title={keys === undefined ? label : `${label} (${keys})`}
      disabled={disabled}
      onClick={onClick}
      {...(pressed !== undefined && { "aria-pressed": pressed })}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}
