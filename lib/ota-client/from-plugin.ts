import type { NativeUpdater } from "../ota-format/mod.ts";

/**
 * A Capacitor plugin as a plain object. The proxy that `registerPlugin` gives answers to every name,
 * `then` as well: a promise that is given one never resolves.
 */
export function fromPlugin(plugin: NativeUpdater): NativeUpdater {
  return {
    stageUpdate: (request) => plugin.stageUpdate(request),
    stageUpdateDelta: (request) => plugin.stageUpdateDelta(request),
    activate: (request) => plugin.activate(request),
    confirmBoot: (request) => plugin.confirmBoot(request),
    revert: (request) => plugin.revert(request),
    getState: (request) => plugin.getState(request),
    acceptSequence: (request) => plugin.acceptSequence(request),
    readManifest: (request) =>
      plugin.readManifest?.(request) ?? Promise.resolve({ manifest: null }),
    addListener: (event, listener) => plugin.addListener(event, listener),
  };
}
