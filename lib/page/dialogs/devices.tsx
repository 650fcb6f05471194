import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import {
  deviceNotes,
  devices,
  devicesProblem,
  isBridgeSet,
  isLookingForDevices,
  loadDevices,
  lookForDevices,
  type PageDevice,
  pairingEnds,
  waitingApps,
} from "../model/devices.ts";
import { whileVisible } from "../model/while-visible.ts";
import { Icon } from "../parts/icon.tsx";
import { DeviceView } from "./device-view.tsx";
import { RefusalText } from "./job-view.tsx";
import { PhoneView } from "./phone-view.tsx";

/** Between two looks for devices, in milliseconds. */
const REST_MS = 3_000;

/** Id of the shown device, or the simulated phone. Kept when the dialog is closed. */
const shown = signal("");

/** Devices that are connected, and the simulated phone, which is always there. */
export function DevicesDialog() {
  useEffect(
    () => whileVisible(async (signal) => void await lookForDevices({}, signal), REST_MS),
    [],
  );
  const found = devices.value ?? [];
  const device = found.find(({ id }) => id === shown.value);
  return (
    <div class="devices">
      <nav class="device-list" aria-label="Devices">
        <Choice
          title="Simulated phone"
          text="to try updates on"
          isShown={shown.value === ""}
          onClick={() => shown.value = ""}
        />
        {found.map((one) => (
          <Choice
            key={one.id}
            title={one.name}
            text={`${one.transport} · ${one.state}`}
            kind={one.state}
            isShown={device === one}
            onClick={() => shown.value = one.id}
          />
        ))}
        {found.length === 0 && (
          <p class="dim">
            {devices.value === null && devicesProblem.value === null
              ? "Looking for devices…"
              : "No device is connected."}
          </p>
        )}
        <button
          type="button"
          class="button"
          disabled={isLookingForDevices.value}
          onClick={() => void loadDevices()}
        >
          {isLookingForDevices.value ? "Looking…" : "Look again"}
        </button>
        {devicesProblem.value !== null && (
          <RefusalText detail={devicesProblem.value.detail} hint={devicesProblem.value.hint} />
        )}
        <Connecting />
      </nav>
      <div class="device-shown">
        {device !== undefined
          ? <Shown key={device.id} device={device} />
          : shown.value === ""
          ? <PhoneView />
          : <Gone />}
      </div>
    </div>
  );
}

function Choice({ title, text, kind = "ready", isShown, onClick }: {
  readonly title: string;
  readonly text: string;
  readonly kind?: string;
  readonly isShown: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      class={`device-choice ${kind}`}
      aria-pressed={isShown}
      onClick={onClick}
    >
      <Icon name="devices" />
      <span>
        <bdi class="cut">{title}</bdi>
        <span class="dim cut">{text}</span>
      </span>
    </button>
  );
}

/** A device that was looked at and is not there: it is shown once it is back. */
function Gone() {
  return (
    <section class="card" role="status">
      <h3>It is not connected any more</h3>
      <p>Plug it in again, or open its app: it is shown here once it is back.</p>
    </section>
  );
}

/** A usable device, or the next step to make it usable. */
function Shown({ device }: { readonly device: PageDevice }) {
  if (device.state === "ready") return <DeviceView device={device} />;
  return (
    <section class="card" aria-label={device.name}>
      <h3>
        <bdi>{device.name}</bdi> is {device.state}
      </h3>
      <p>
        <bdi>{device.next || "Connect it again, then look again."}</bdi>
      </p>
      <div class="row">
        <button type="button" class="button" onClick={() => void loadDevices()}>Look again</button>
        {device.transport === "bridge" && device.state === "offline" && (
          <button
            type="button"
            class="button"
            onClick={() => void loadDevices({ forget: device.id })}
          >
            Forget it
          </button>
        )}
      </div>
    </section>
  );
}

/** Lets apps connect for a while; shows whether they may, and until when. */
function Pairing() {
  const ends = pairingEnds.value;
  if (isBridgeSet.value) {
    return (
      <p class="dim">
        Apps may connect: <code>devices.bridge</code> is set.
      </p>
    );
  }
  return (
    <div class="row">
      <p role="status">
        {ends === null
          ? "Apps built with the bridge may connect for 5 minutes once you allow it. They learn nothing about the project until you enter their code."
          : `Apps may connect until ${timeOf(ends)}.`}
      </p>
      <button
        type="button"
        class="button"
        onClick={() => void loadDevices({ pair: ends === null ? "open" : "close" })}
      >
        {ends === null ? "Allow apps" : "Stop allowing"}
      </button>
    </div>
  );
}

function timeOf(ms: number): string {
  return new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** Instructions and controls for connecting a device. */
function Connecting() {
  const [code, setCode] = useState("");
  const pair = async (event: Event) => {
    event.preventDefault();
    if (code.trim() !== "" && await loadDevices({ pair: code.trim() })) setCode("");
  };
  return (
    <details open={waitingApps.value > 0 || undefined} class="connecting">
      <summary>Connect a device</summary>
      {waitingApps.value > 0 && (
        <p role="status">
          {waitingApps.value === 1 ? "An app waits" : `${waitingApps.value} apps wait`}{" "}
          to be paired: type the code on its screen.
        </p>
      )}
      <p>
        <strong>Android, by cable:</strong>{" "}
        turn on USB debugging in the developer options, plug it in, and allow this computer on its
        screen.
      </p>
      <p>
        <strong>Any phone, by a code:</strong> set <code>devices.bridge</code>{" "}
        in the project's settings to this editor's address, build the app, and open it. It shows a
        code.
      </p>
      <Pairing />
      <form class="row" onSubmit={(event) => void pair(event)}>
        <label class="labelled">
          Pairing code
          <input
            type="text"
            autocomplete="off"
            maxLength={40}
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button" disabled={code.trim() === ""}>Pair</button>
      </form>
      {deviceNotes.value.map((note) => (
        <p key={note} class="dim">
          <bdi>{note}</bdi>
        </p>
      ))}
    </details>
  );
}
