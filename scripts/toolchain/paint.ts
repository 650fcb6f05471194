/** Colours a text, or leaves it as it is. */
export type Colour = (text: string) => string;

/** The colours of a report. */
export interface Paint {
  readonly good: Colour;
  readonly bad: Colour;
  readonly dim: Colour;
  readonly bold: Colour;
}

const PLAIN: Colour = (text) => text;

/**
 * Creates the colours of a terminal. A pipe gets none, and neither does a user who refuses them
 * (`NO_COLOR` set to anything; a terminal that calls itself `dumb`).
 */
export function createPaint(
  { terminal, env }: {
    readonly terminal: boolean;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Paint {
  const isColoured = terminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  if (!isColoured) return { good: PLAIN, bad: PLAIN, dim: PLAIN, bold: PLAIN };
  const colour = (code: number, end: number): Colour => (text) =>
    `\x1b[${code}m${text}\x1b[${end}m`;
  return { good: colour(32, 39), bad: colour(31, 39), dim: colour(2, 22), bold: colour(1, 22) };
}
