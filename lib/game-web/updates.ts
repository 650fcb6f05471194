import {
  confirmLaunch,
  type ConnectionInfo,
  createAppUpdater,
  type NativeUpdater,
  type OtaGateState,
} from "../ota-client/mod.ts";
import { nativeUpdater } from "./capacitor.ts";

// Loaded only by games with updates enabled.

/** A message of one sentence to the player, over everything, while the game is not visible. */
export interface Notice {
  /** Shows progress. @param done Share that is done, 0 to 1; `null` if it is not known. */
  wait(text: string, done?: number | null): void;
  /**
   * Shows the player's next step; this is the last message.
   *
   * @param restart Takes that step for the player; adds a button.
   */
  say(text: string, restart?: () => void): void;
  hide(): void;
}

/** The updates of an app, as its page drives them. */
export interface AppUpdates {
  /**
   * Checks for an update, and shows its progress if the game waits for it.
   *
   * @returns Whether the game may load; if not, the notice gives the player's next step.
   */
  mayLoad(): Promise<boolean>;
  /** Confirms that this version boots; called once, at its first visible frame. */
  confirm(): Promise<void>;
  /** For a game that cannot run here: shows a notice once an update is ready, which may run. */
  rescue(): void;
}

const READY = "An update is ready. Close the game and open it again.";

/**
 * The updates of a built game; `null` outside an app.
 *
 * @param ota The block of `game.json`, as it was read.
 * @param engineApi The engine API level of the game.
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
  // If the restart is refused, the player can still follow the text.
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
      if (mayLoad) end(); // an update in the background is not shown
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
