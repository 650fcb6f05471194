import type { NativeUpdater } from "../ota-client/mod.ts";

const PLUGIN = "SlipwayOta";

/** The part of Capacitor's bridge, which is in every page of an app, that is used here. */
interface Bridge {
  /** The plugins that the app was built with. */
  readonly PluginHeaders?: readonly {
    readonly name: string;
    readonly methods?: readonly { readonly name: string }[];
  }[];
  nativePromise<T>(plugin: string, method: string, request: unknown): Promise<T>;
  addListener<T>(
    plugin: string,
    event: string,
    listener: (event: T) => void,
  ): { remove(): Promise<void> };
}

declare global {
  var Capacitor: Bridge | undefined;
}

/** The plugin that stages updates; `null` in a browser, and in an app without it. */
export function nativeUpdater(): NativeUpdater | null {
  const bridge = globalThis.Capacitor;
  const header = bridge?.PluginHeaders?.find(({ name }) => name === PLUGIN);
  if (bridge === undefined || header === undefined) return null;
  return pluginOf(bridge, header.methods?.some(({ name }) => name === "restart") === true);
}

function pluginOf(bridge: Bridge, hasRestart: boolean): NativeUpdater {
  const call = <T>(method: string) => (request: unknown) =>
    bridge.nativePromise<T>(PLUGIN, method, request);
  return {
    stageUpdate: call("stageUpdate"),
    stageUpdateDelta: call("stageUpdateDelta"),
    activate: call("activate"),
    confirmBoot: call("confirmBoot"),
    revert: call("revert"),
    getState: call("getState"),
    acceptSequence: call("acceptSequence"),
    readManifest: call("readManifest"),
    ...(hasRestart && { restart: call("restart") }),
    addListener: (event, listener) => Promise.resolve(bridge.addListener(PLUGIN, event, listener)),
  };
}
