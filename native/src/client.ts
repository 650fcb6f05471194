import {
  type AppUpdater,
  type AppUpdaterDependencies,
  type CheckDependencies,
  type CheckResult,
  checkForUpdate as check,
  confirmLaunch,
  type ConnectionInfo,
  createAppUpdater as create,
  fromPlugin,
  type NativeUpdater,
  type OnWillStage,
} from "../../lib/ota-client/mod.ts";

// The client of an app that has this package's plugin: lib/ota-client, with that plugin and the page's own
// `fetch` where none are given. The functions below replace those of the same name.

export * from "../../lib/ota-client/mod.ts";

/** This package's name and version, put in by build.mjs: `ota-doctor` knows a client by them. */
declare const PACKAGE: string;

/** The `ota` block, and where wanted the rest of {@linkcode AppUpdaterDependencies}. */
export type AppUpdaterOptions =
  & Pick<AppUpdaterDependencies, "ota">
  & Partial<Omit<AppUpdaterDependencies, "ota">>;

/** A connection, and where wanted the network, the device and the bounds of its check. */
export type CheckOptions = ConnectionInfo & Partial<CheckDependencies>;

/**
 * Builds the updater of an app. The plugin is loaded when a check is really made: not while `ota.enabled`
 * is false. Without an `onResult`, what each check answered is written to the console.
 */
export function createAppUpdater(options: AppUpdaterOptions): AppUpdater {
  const onResult = (result: CheckResult) => console.info(PACKAGE, result);
  return create({ fetch: fetchOfPage, loadNative: loadPlugin, onResult, ...options });
}

/**
 * Looks for a newer release, verifies it and has the device stage it. Never throws.
 *
 * @param onWillStage Told once, when a release is verified and will be staged.
 */
export async function checkForUpdate(
  connection: CheckOptions,
  onWillStage?: OnWillStage,
): Promise<CheckResult> {
  try {
    const native = connection.native ?? await loadPlugin();
    return await check({ fetch: fetchOfPage, ...connection, native }, onWillStage);
  } catch (thrown) {
    const detail = `plugin: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return { result: "stage-failed", code: "plugin", detail };
  }
}

/**
 * Confirms the launch that served this page: to be called on the first frame that a player can use, at every
 * launch. Where nothing was launched (a browser, live reload) it does nothing.
 *
 * @throws When the plugin could not record it.
 */
export async function confirm(): Promise<void> {
  await confirmLaunch(await loadPlugin());
}

function fetchOfPage(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, init);
}

async function loadPlugin(): Promise<NativeUpdater> {
  return fromPlugin((await import("./index.js")).SlipwayOta);
}
