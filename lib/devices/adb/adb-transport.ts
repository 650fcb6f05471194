import type { DevtoolsPorts } from "../devtools/page-session.ts";
import type {
  AttachedDevice,
  DeviceAction,
  DeviceEntry,
  DeviceReadiness,
  Transport,
  VisibleDevices,
} from "../types/device.ts";
import { Adb, type AdbMachine, nextFor } from "./adb.ts";
import { type ListedPhone, parseDevices } from "./parse.ts";
import { AdbPhone } from "./phone.ts";

const ALL: readonly DeviceAction[] = [
  "screenshot",
  "tap",
  "drag",
  "eval",
  "console_logs",
  "native_logs",
];

const NO_ADB = "Found no adb, so Android phones are not listed: run install_tool id=android-sdk";

/** Android phones and emulators, over the debug bridge of this machine's SDK. */
export class AdbTransport implements Transport {
  readonly #adb: Adb;
  readonly #ports: DevtoolsPorts;
  readonly #phones = new Map<string, AdbPhone>();

  constructor(machine: AdbMachine, ports: DevtoolsPorts) {
    this.#adb = new Adb(machine);
    this.#ports = ports;
  }

  async devices(signal: AbortSignal): Promise<VisibleDevices> {
    const printed = await this.#adb.run(["devices", "-l"], signal);
    signal.throwIfAborted();
    if (!printed.ok) return { devices: [], notes: [printed.error.detail] };
    if (printed.value === null) return { devices: [], notes: [NO_ADB] };
    const listed = parseDevices(printed.value);
    const found = listed.map((phone) => this.#deviceOf(phone));
    for (const [serial, phone] of this.#phones) {
      if (found.includes(phone)) continue;
      this.#phones.delete(serial);
      await phone.close();
    }
    return { devices: found, notes: [] };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#phones.values()].map((phone) => phone.close()));
    this.#phones.clear();
  }

  #deviceOf(listed: ListedPhone): AttachedDevice {
    const entry = entryOf(listed);
    if (entry.state !== "ready") return { entry };
    const phone = this.#phones.get(entry.id) ?? new AdbPhone(entry, this.#adb, this.#ports);
    phone.entry = entry;
    this.#phones.set(entry.id, phone);
    return phone;
  }
}

function entryOf({ serial, state, model }: ListedPhone): DeviceEntry {
  const stands = stateOf(state);
  const entry = { id: serial, name: model, transport: "adb", state: stands } as const;
  return stands === "ready"
    ? { ...entry, can: ALL }
    : { ...entry, can: [], next: `adb says ${state}. ${nextFor(state)}` };
}

function stateOf(state: string): DeviceReadiness {
  if (state === "device") return "ready";
  if (state === "unauthorized" || state === "offline") return state;
  return "unavailable";
}
