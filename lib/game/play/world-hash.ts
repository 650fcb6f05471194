import { encodeUtf8 } from "../../core/bytes.ts";
import { compareCodeUnits, isRecord, type JsonValue } from "../../core/json.ts";
import { sha256Hex } from "../../core/sha256.ts";
import type { Game } from "../world/mod.ts";

/**
 * The hash of a playing world as it is now: the step, the numbers of the game, and every entity with all
 * of its values. Two games with the same start and the same input have the same, in every engine.
 *
 * @returns 64 lower-case hexadecimal digits.
 */
export function worldHash({ tick, values, world }: Game): Promise<string> {
  const lines = [line({ tick }), line([...values].sort(byName))];
  for (const { id, guid, name, parentId, layer, traits } of world.entities()) {
    lines.push(line({ id, guid, name, parentId, layer, traits }));
  }
  return sha256Hex(encodeUtf8(lines.join("")));
}

/** JSON with its members in one order, as ECMAScript writes numbers and text. */
function line(value: JsonValue): string {
  return `${JSON.stringify(value, (_name, one) => isRecord(one) ? sorted(one) : one)}\n`;
}

function sorted(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(byName));
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareCodeUnits(a, b);
}
