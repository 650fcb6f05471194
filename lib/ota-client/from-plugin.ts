import type { NativeUpdater } from "../ota-format/mod.ts";

/**
 * A Capacitor plugin as an object without `then`. The proxy that `registerPlugin` gives answers to
 * every name, that one as well: a promise that is given one never resolves.
 */
export function fromPlugin(plugin: NativeUpdater): NativeUpdater {
  return Object.create(plugin, { then: {} });
}
