import assert from "node:assert/strict";
import type { BootTarget } from "../../lib/ota-device/boot.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import type { OtaWorld } from "./ota-world.ts";

// The events of a phone's life that most tests need.

/** Returns what a launch serves: a version, or `embedded`. */
export function launched(target: BootTarget): string {
  return target.kind === "embedded" ? "embedded" : target.version;
}

/** Launches, as a start of the app does. @returns What is served. */
export async function launch(device: Device, binaryVersion?: string): Promise<string> {
  const { target } = await device.launch({
    name: "shell",
    ...(binaryVersion !== undefined && { binaryVersion }),
  });
  return launched(target);
}

/** Checks once, and expects an update. */
export async function update(world: OtaWorld, device: Device): Promise<void> {
  const check = await world.check(device);
  assert.equal(check.result, "staged", JSON.stringify(check));
}

/** Updates, and boots twice to the end. */
export async function makeActive(world: OtaWorld, device: Device): Promise<void> {
  await update(world, device);
  for (let boot = 0; boot < 2; boot++) {
    await launch(device);
    await device.confirmLaunch({ name: "shell" });
  }
}
