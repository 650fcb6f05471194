import { decodeUtf8 } from "../../core/bytes.ts";

/** What a JSON text says, `undefined` when it is none. Whatever it holds is still to be looked at. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes) ?? "");
  } catch {
    return undefined; // malformed; the parser's own words would repeat parts of the text
  }
}
