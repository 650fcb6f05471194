import type { GameUpdates } from "../game/assets/mod.ts";
import { createAppUpdater, type NativeUpdater, type OtaGateState } from "../ota-client/mod.ts";
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
}

/** The updates of a built game; `null` where no app is around it. @param engineApi Of the game. */
export function appUpdates(
  ota: GameUpdates,
  engineApi: number,
  notice: Notice,
): AppUpdates | null {
  const native = nativeUpdater();
  return native === null ? null : updatesBy(native, { ...ota, engineApi }, notice);
}

function updatesBy(
  native: NativeUpdater,
  connection: GameUpdates & { readonly engineApi: number },
  notice: Notice,
): AppUpdates {
  const updater = createAppUpdater({
    ota: { ...connection, enabled: true },
    fetch: (...request) => fetch(...request),
    loadNative: () => Promise.resolve(native),
    onResult: (result) => console.info("update", result),
  });
  return {
    async mayLoad() {
      const end = updater.gate.subscribe((state) => showGate(state, notice));
      const mayLoad = await updater.checkAppOtaUpdate();
      if (mayLoad) end(); // an update that goes on in the background is not shown
      return mayLoad;
    },
    async confirm() {
      const { launch } = await native.getState({});
      if (launch !== undefined) await native.confirmBoot(launch);
    },
  };
}

function showGate(state: OtaGateState, notice: Notice): void {
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
      notice.say("An update is ready. Close the game and open it again.");
  }
}
