import { effect, type Signal, signal } from "@preact/signals";

// State of this page alone: open panels, their sizes, the theme.

/** A dialog above the page. */
export type DialogName = "build" | "publish" | "devices" | "settings" | "keys";
/** A panel at the bottom. */
export type BottomName =
  | "assets"
  | "console"
  | "activity"
  | "diagnose"
  | "watch"
  | "journal"
  | "timeline";
/** Dark or light. */
export type Theme = "dark" | "light";

/** Sizes of the parts of the page, in CSS pixels. */
export interface Sizes {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

const KEPT = "slipway-page";
const kept = keptValues();

/** The open dialog, or `null`. */
export const dialog: Signal<DialogName | null> = signal(null);
/** The panel at the bottom. */
export const bottom: Signal<BottomName> = signal("assets");
/** Dark or light: the system's theme, until the user chooses one. */
export const theme: Signal<Theme> = signal(
  kept.theme ?? (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"),
);
/** The sizes of the parts. */
export const sizes: Signal<Sizes> = signal(kept.sizes ?? { left: 260, right: 320, bottom: 220 });

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
  const { left, right, bottom } = sizes.value;
  const { style } = document.documentElement;
  style.setProperty("--left", `${left}px`);
  style.setProperty("--right", `${right}px`);
  style.setProperty("--bottom", `${bottom}px`);
  keep();
});

/** Opens a dialog. */
export function openDialog(name: DialogName): void {
  dialog.value = name;
}

/** The other theme. */
export function toggleTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
}

function keep(): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ theme: theme.value, sizes: sizes.value }));
  } catch {
    // Without storage, the page forgets it.
  }
}

function keptValues(): { readonly theme?: Theme; readonly sizes?: Sizes } {
  try {
    const value = Object(JSON.parse(localStorage.getItem(KEPT) ?? "{}"));
    const { left, right, bottom } = Object(value.sizes);
    const isSizes = [left, right, bottom].every((size) => Number.isFinite(size));
    return {
      ...((value.theme === "dark" || value.theme === "light") && { theme: value.theme }),
      ...(isSizes && { sizes: { left, right, bottom } }),
    };
  } catch {
    return {};
  }
}
