import { isRecord } from "../core/json.ts";
import type { NativeUpdater, OtaProgress } from "../ota-format/mod.ts";
import { bounded, type ClientClock, DEADLINE_MS, reasonOf, whileAwake } from "./bounded.ts";
import { callSafely } from "./call-safely.ts";
import { checkForUpdate, type ConnectionInfo } from "./check.ts";
import type { ClientFetch } from "./fetch-bytes.ts";
import { followPace, mayHold } from "./pace.ts";
import { type KnownState, readDevice } from "./plugin.ts";
import { because, type CheckResult } from "./result.ts";

/** State that the app shell shows during an update; `null` for none. */
export type OtaGateState =
  | {
    readonly state: "downloading";
    readonly version: string;
    /** Whether the game waits for it; no longer so when it takes too long (CHECK-11). */
    readonly mandatory: boolean;
    /** `null` until the first byte; a bar is determinate when `bytesTotal` is above 0. */
    readonly progress: OtaProgress | null;
  }
  | { readonly state: "ready-to-restart"; readonly version: string }
  | null;

/** The gate as the app shell reads it. */
export interface OtaGate {
  /** Current state. */
  current(): OtaGateState;
  /** Calls `listener` on every change. @returns A function that ends the subscription. */
  subscribe(listener: (state: OtaGateState) => void): () => void;
}

/** The project's `ota` block (CHECK-2). */
export interface OtaSettings extends ConnectionInfo {
  /** Whether updates are looked for at all. */
  readonly enabled: boolean;
}

/** Dependencies of an app's updater. */
export interface AppUpdaterDependencies {
  /** Absent, or `enabled` false: nothing is fetched and the plugin is not loaded. */
  readonly ota: OtaSettings | undefined;
  /** The network. */
  readonly fetch: ClientFetch;
  /**
   * Imports the native plugin; called only for a real update check. Wrap Capacitor's plugin in
   * {@linkcode fromPlugin}.
   */
  readonly loadNative: () => Promise<NativeUpdater>;
  /** Called with the result of every check, for logs. */
  readonly onResult?: (result: CheckResult) => void;
  /** See `CheckDependencies`; also for loading the plugin. */
  readonly deadlineMs?: number | undefined;
  /** How long an update may show no progress before it counts as failed. Default 2 minutes. */
  readonly stallMs?: number | undefined;
  /** The longest that a mandatory update keeps the game from loading (CHECK-11). Default 5 minutes. */
  readonly holdMs?: number | undefined;
  /** Cancels the check. */
  readonly signal?: AbortSignal | undefined;
  /** Measures all of these, in time that the device is awake (CHECK-12). Default: own timers. */
  readonly clock?: ClientClock | undefined;
}

/** Updates as the app shell drives them. */
export interface AppUpdater {
  /** State for the shell. */
  readonly gate: OtaGate;
  /**
   * Checks once; a second call joins the running check.
   *
   * Never throws, and always answers: with a silent server or plugin after a few deadlines at most.
   * Only a mandatory update is waited for longer: for `holdMs` at most, and after the first minute
   * only while at least 4 KiB a second arrive.
   *
   * @returns `false` only if a mandatory update is staged: the game must not load, and the user is
   * asked to close and reopen the app. `true` in every other case; an optional update, or one that
   * took too long, continues staging in the background, and the next launch has it.
   */
  checkAppOtaUpdate(): Promise<boolean>;
}

/** Builds the updater of an app (CHECK-3). */
export function createAppUpdater(dependencies: AppUpdaterDependencies): AppUpdater {
  const gate = createGate();
  let running: Promise<boolean> | null = null;
  return {
    gate,
    checkAppOtaUpdate() {
      if (gate.current()?.state === "ready-to-restart") return Promise.resolve(false);
      running ??= new Promise<boolean>((resolve) => {
        void run(dependencies, gate, () => resolve(true))
          .then(resolve)
          .then(() => {
            running = null;
          });
      });
      return running;
    },
  };
}

interface Gate extends OtaGate {
  set(next: OtaGateState): void;
}

function createGate(): Gate {
  let state: OtaGateState = null;
  const listeners = new Set<(state: OtaGateState) => void>();
  return {
    current: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set(next) {
      if (state?.state === "ready-to-restart" || next === state) return; // a dead end by design
      state = next;
      for (const listener of [...listeners]) callSafely(() => listener(next));
    },
  };
}

/** @returns Whether the game may load; calls `mayLoad` as soon as that is certain. */
async function run(
  { ota, fetch, loadNative, onResult, signal, clock, ...limits }: AppUpdaterDependencies,
  gate: Gate,
  mayLoad: () => void,
): Promise<boolean> {
  if (ota?.enabled !== true) return true;
  const { deadlineMs = DEADLINE_MS, stallMs = 120_000, holdMs = 300_000 } = limits;
  const stop = new AbortController();
  const cancel = () => stop.abort();
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  const bounds = { deadlineMs, signal: stop.signal, clock };
  let pace = followPace();
  const ended = new AbortController();
  let stalled = false;
  let isHeld = false;
  const watch = (awakeMs: number) => {
    const now = pace.at(awakeMs);
    if (now.idleMs >= stallMs) {
      stalled = true;
      cancel();
    }
    const shown = gate.current();
    if (isHeld && shown?.state === "downloading") {
      const { bytesDone, bytesTotal } = shown.progress ?? { bytesDone: 0, bytesTotal: 1 };
      if (!mayHold({ ...now, isLoading: bytesDone < bytesTotal }, holdMs)) {
        isHeld = false;
        if (waiting?.mandatory) cancel(); // the waiting version needs no network
        else {
          gate.set({ ...shown, mandatory: false });
          mayLoad();
        }
      }
    }
    return stallMs - now.idleMs;
  };
  let listening: Promise<{ remove(): Promise<void> } | undefined> = Promise.resolve(undefined);
  let waiting: KnownState["waiting"];
  let result: CheckResult;
  try {
    const native = await bounded("loading the plugin", bounds, loadNative);
    // Not awaited: an update works without a progress bar.
    listening = bounded(
      "addListener",
      bounds,
      () =>
        native.addListener("otaProgress", (progress) => {
          const now = gate.current();
          if (now?.state !== "downloading" || !isRecord(progress)) return;
          if (progress.name !== ota.bundleName || progress.version !== now.version) return;
          // The first report includes bytes of an earlier process.
          pace.add(progress.bytesDone - (now.progress ?? progress).bytesDone);
          gate.set({ ...now, progress });
        }),
    ).catch(() => undefined);
    // Asked before the network: an update that the game waits for does so without one (CHECK-17).
    const looked = await readDevice({ native, ...bounds }, ota.bundleName).catch(() => undefined);
    waiting = looked?.waiting;
    const checking = { fetch, native, ...bounds, onBytes: (bytes: number) => pace.add(bytes) };
    result = await checkForUpdate(checking, ota, ({ version, mandatory }) => {
      isHeld = mandatory || !!waiting?.mandatory;
      pace = followPace(); // from the manifest on: the game does not wait for the release
      gate.set({ state: "downloading", version, mandatory: isHeld, progress: null });
      if (!isHeld) mayLoad();
      void whileAwake(watch, { clock, signal: ended.signal }).catch(() => undefined);
    });
    if (stalled && result.result !== "staged") {
      const message = `no progress for ${stallMs} ms`;
      result = because("stage-failed", { code: "timeout", message });
    }
  } catch (thrown) {
    result = because("stage-failed", { code: "plugin", message: reasonOf(thrown) });
  }
  ended.abort();
  signal?.removeEventListener("abort", cancel);
  void listening.then((handle) => handle?.remove()).catch(() => undefined);
  const next = nextOf(result, waiting, isHeld);
  gate.set(next?.mandatory ? { state: "ready-to-restart", version: next.version } : null);
  callSafely(() => onResult?.(result));
  return !next?.mandatory;
}

/** Returns the version that the next launch serves instead of the running one, after a check; `waiting` if the check changed nothing. */
function nextOf(
  result: CheckResult,
  waiting: KnownState["waiting"],
  isHeld: boolean,
): KnownState["waiting"] {
  if (result.result === "staged") return { version: result.version, mandatory: isHeld };
  return result.result === "up-to-date" ? result.pending : waiting;
}
