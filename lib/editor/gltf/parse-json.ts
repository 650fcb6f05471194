/** The value of JSON text; `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // told as "does not parse"
  }
}
