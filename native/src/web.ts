import { WebPlugin } from "@capacitor/core";
import type { DeviceState, NativeUpdater, StageResult } from "./definitions.js";

const REFUSAL =
  "Cannot update in a browser: found the web platform, expected the app on Android or iOS; " +
  "leave `ota.enabled` false for the web build";

/**
 * In a browser a bundle is what its server serves: nothing was launched that could be confirmed, and what
 * would change a device refuses and says so.
 */
export class SlipwayOtaWeb extends WebPlugin implements NativeUpdater {
  async stageUpdate(): Promise<StageResult> {
    throw this.unavailable(REFUSAL);
  }
  async stageUpdateDelta(): Promise<StageResult> {
    throw this.unavailable(REFUSAL);
  }
  async activate(): Promise<StageResult> {
    throw this.unavailable(REFUSAL);
  }
  async confirmBoot(): Promise<void> {
    throw this.unavailable(REFUSAL);
  }
  async revert(): Promise<void> {
    throw this.unavailable(REFUSAL);
  }
  async getState(): Promise<DeviceState> {
    return { state: null, sequence: {} };
  }
  async restart(): Promise<void> {
    throw this.unavailable(REFUSAL);
  }
  async acceptSequence(): Promise<void> {
    throw this.unavailable(REFUSAL);
  }
  async readManifest(): Promise<{ readonly manifest: string | null }> {
    throw this.unavailable(REFUSAL);
  }
}
