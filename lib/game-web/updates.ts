import {
  confirmLaunch,
  type ConnectionInfo,
  createAppUpdater,
  type NativeUpdater,
  type OtaGateState,
} from "../ota-client/mod.ts";
import { nativeUpdater } from "./capacitor.ts";
import type { Notice } from "./notice.ts";

// Loaded only by games whose updates are on.

/** The updates of an app, as its page drives them. */
export interface AppUpdates {
  /**
   * Looks for an update, and shows how far one is that the game waits for.
   *
   * @returns Whether the game may load; if not, the notice says what the player is to do.
   */
  mayLoad(): Promise<boolean>;
  /** Tells the app that this version boots; once, when its first frame is seen. */
  confirm(): Promise<void>;
  /** Says in place of a game that cannot run here when an update is ready, which may. */
  rescue(): void;
}

const READY = "An update is ready. Close the game and open it again.";

/**
 * The updates of a built game; `null` where no app is around it.
 *
 * @param ota The block of `game.json`, as it was read.
 * @param engineApi Of the game.
 */
export function appUpdates(
  ota: Readonly<Record<string, unknown>>,
  engineApi: unknown,
  notice: Notice,
): AppUpdates | null {
  const native = nativeUpdater();
  const connection = connectionOf(ota, engineApi);
  return native === null || connection === null ? null : updatesBy(native, connection, notice);
}

function connectionOf(
  { baseUrl, publicKey, bundleName, app, channel }: Readonly<Record<string, unknown>>,
  engineApi: unknown,
): ConnectionInfo | null {
  if (typeof baseUrl !== "string" || typeof publicKey !== "string") return null;
  if (typeof bundleName !== "string" || typeof engineApi !== "number") return null;
  return {
    baseUrl,
    publicKey,
    bundleName,
    engineApi,
    ...(typeof app === "string" && { app }),
    ...(typeof channel === "string" && { channel }),
  };
}

function updatesBy(
  native: NativeUpdater,
  connection: ConnectionInfo,
  notice: Notice,
): AppUpdates {
  let [isStaged, isRescue] = [false, false];
  const { restart } = native;
  // Where it is refused, the player does as the words say.
  const sayReady = () =>
    notice.say(READY, restart && (() => void restart({}).catch(() => undefined)));
  const rescue = () => isStaged && isRescue && sayReady();
  const updater = createAppUpdater({
    ota: { ...connection, enabled: true },
    fetch: (...request) => fetch(...request),
    loadNative: () => Promise.resolve(native),
    onResult(result) {
      console.info("update", result);
      isStaged ||= result.result === "staged" || "pending" in result;
      rescue();
    },
  });
  return {
    async mayLoad() {
      const end = updater.gate.subscribe((state) => showGate(state, notice, sayReady));
      const mayLoad = await updater.checkAppOtaUpdate();
      if (mayLoad) end(); // an update that goes on in the background is not shown
      return mayLoad;
    },
    confirm: () => confirmLaunch(native),
    rescue() {
      isRescue = true;
      rescue();
    },
  };
}

function showGate(state: OtaGateState, notice: Notice, sayReady: () => void): void {
  switch (state?.state) {
    case undefined:
      break; // the game loads
    case "downloading": {
      if (!state.mandatory) break;
      const { bytesDone = 0, bytesTotal = 0 } = state.progress ?? {};
      notice.wait("Loading an update", bytesTotal > 0 ? bytesDone / bytesTotal : null);
      break;
    }
    case "ready-to-restart":
      sayReady();
  }
}
