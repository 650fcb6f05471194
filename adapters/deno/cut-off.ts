import { isRecord } from "../../lib/core/json.ts";

/**
 * Ends a connection whatever its other end does, and gives back what came of a message. Deno has no
 * method for it, only the resource behind the connection, which its internals close (decision 94).
 *
 * @returns Whether this version of Deno lets us.
 */
export function cutOff(socket: WebSocket): boolean {
  const id = Object.getOwnPropertySymbols(socket).find(({ description }) =>
    description === "[[rid]]"
  );
  const resource: unknown = id === undefined ? undefined : Reflect.get(socket, id);
  const name: unknown = Reflect.get(Deno, "internal");
  const internals: unknown = typeof name === "symbol" ? Reflect.get(Deno, name) : undefined;
  const core = isRecord(internals) ? internals["core"] : undefined;
  if (typeof resource !== "number" || !isRecord(core)) return false;
  const { close } = core;
  if (typeof close !== "function") return false;
  try {
    Reflect.apply(close, core, [resource]);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.BadResource)) throw thrown; // it has ended meanwhile
  }
  return true;
}
