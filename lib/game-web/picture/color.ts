/** A colour of a trait or an asset. */
export interface PlainColor {
  /** `#rrggbb`, as a screen shows it. */
  readonly rgb: string;
  /** From 0 to 1. */
  readonly alpha: number;
}

/** Reads `#rrggbb` or `#rrggbbaa`. @param otherwise For everything else. */
export function colorOf(text: string, otherwise: string): PlainColor {
  const isColor = /^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text);
  const known = isColor ? text : otherwise;
  const last = known.slice(7);
  return { rgb: known.slice(0, 7), alpha: last === "" ? 1 : Number.parseInt(last, 16) / 255 };
}
