import type { NativeUpdater, OtaProgress, StageResult } from "../../ota-format/mod.ts";
import type { Device } from "../../ota-device/mod.ts";
import type { PhonePhase } from "./state.ts";

/** Listener for calls to the device, and their results. */
export interface DeviceWitness {
  begins(phase: PhonePhase): void;
  progressed(progress: OtaProgress): void;
  staged(version: string, result: StageResult): void;
  activated(version: string, result: StageResult): void;
  confirmed(): Promise<void>;
}

/** Wraps the device with a witness of the client's calls. */
export function observedDevice(device: Device, witness: DeviceWitness): NativeUpdater {
  void device.addListener("otaProgress", (progress) => witness.progressed(progress));
  return {
    ...device,
    async stageUpdate(request) {
      witness.begins("staging");
      const result = await device.stageUpdate(request);
      witness.staged(String(request.version), result);
      return result;
    },
    async stageUpdateDelta(request) {
      witness.begins("staging");
      const result = await device.stageUpdateDelta(request);
      witness.staged(String(request.version), result);
      return result;
    },
    async activate(request) {
      witness.begins("activating");
      const result = await device.activate(request);
      witness.activated(String(request.version), result);
      return result;
    },
    async confirmBoot(request) {
      await device.confirmBoot(request);
      await witness.confirmed();
    },
  };
}

/** Operations that a page may call. */
const OPERATIONS = [
  "stageUpdate",
  "stageUpdateDelta",
  "activate",
  "confirmBoot",
  "revert",
  "getState",
  "acceptSequence",
  "readManifest",
];

/** Passes a page's request to the device, which checks all of it (NAT-1). */
export async function askDevice(
  native: NativeUpdater,
  method: string,
  request: unknown,
): Promise<unknown> {
  const operation: unknown = OPERATIONS.includes(method) ? Reflect.get(native, method) : undefined;
  if (typeof operation !== "function") throw new TypeError(`the plugin has no ${method}`);
  const answer: unknown = await operation.call(native, request);
  return answer;
}
