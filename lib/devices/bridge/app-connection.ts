import { withoutInvisible } from "../../core/invisible.ts";
import { plainText } from "../../core/plain-text.ts";
import { pngSize } from "../../core/png.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { parseJson } from "../../core/json-text.ts";
import { ok, type Result } from "../../core/result.ts";
import { TimeoutError, withTimeout } from "../../core/timeout.ts";
import {
  type AppMessage,
  type BridgeAnswer,
  type BridgeAsk,
  type EditorMessage,
  keyOf,
  MAX_BRIDGE_BYTES,
  type Meeting,
  newNonce,
  proofOf,
  readAppMessage,
  sameText,
} from "../../device-bridge/mod.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MessageSocket, SocketMessage } from "../../ports/web-sockets.ts";
import {
  EVALUATION_MS,
  evaluationScript,
  evaluationTimeout,
  readEvaluation,
} from "../evaluation/evaluation.ts";
import { DeviceLog } from "../logs/device-log.ts";
import { hasShapeOf, type Screen, screenChanged } from "../screen/screen.ts";
import type {
  AttachedDevice,
  DeviceAction,
  DeviceEntry,
  Evaluated,
  Shot,
  Touch,
} from "../types/device.ts";
import type { PairedApps } from "./paired-apps.ts";

/** Timeouts of an app's greeting with its state, and of its answers, in milliseconds. */
const HELLO_MS = 10_000;
const ANSWER_MS = 15_000;
/**
 * Timeout of a picture, in milliseconds: a first frame compiles shaders, slowly on a busy machine.
 */
const PICTURE_MS = 60_000;
/** Messages of an app in one second, and their bytes: the largest picture, and more than a log. */
const MAX_RATE = 200;
const MAX_RATE_BYTES = MAX_BRIDGE_BYTES + 8 * 1024 * 1024;
const RATE_MS = 1_000;
/** Characters of a message that is parsed: of a stranger; of an app that is paired, a log or a value. */
const MAX_GREETING = 8 * 1024;
const MAX_TEXT = 4 * 1024 * 1024;
const MAX_NAME = 100;
const MAX_DETAIL = 300;

const CAN: readonly DeviceAction[] = ["screenshot", "tap", "drag", "eval", "console_logs"];

type Answer<T> = Promise<Result<T, Problem>>;
/** Result of presenting a pairing code to an app. */
export type Proved = "paired" | "wrong" | "gone";

/** Ports of connections. */
export interface AppPorts {
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
  readonly paired: PairedApps;
}

/** An answer with the picture that followed it. */
interface Answered {
  readonly answer: BridgeAnswer;
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** A connected app: it receives no request before both sides have authenticated (DEV-42). */
export class AppConnection implements AttachedDevice {
  readonly #socket: MessageSocket;
  readonly #ports: AppPorts;
  readonly #log = new DeviceLog();
  readonly #waiting = new Map<number, (answered: Answered | null) => void>();
  #meeting: Meeting | null = null;
  #name = "";
  /** Device id that calls use, once the app is paired. */
  #id = "";
  #state: "new" | "unpaired" | "ready" = "new";
  /** The code that was presented last, and the callback for its result. */
  #proving: { readonly code: string; readonly end: (proved: Proved) => void } | null = null;
  #last = 0;
  #rate = { from: 0, count: 0, bytes: 0 };
  /** Resolves once the app is paired, waiting for a code, or disconnected. */
  readonly #stands: Promise<void>;
  #settle: () => void = () => {};

  constructor(socket: MessageSocket, ports: AppPorts) {
    this.#socket = socket;
    this.#ports = ports;
    this.#stands = new Promise((resolve) => this.#settle = resolve);
  }

  /**
   * The device as lists show it once it is paired: an agent never sees the name of an unpaired app.
   */
  get entry(): DeviceEntry {
    return { id: this.#id, name: this.#name, transport: "bridge", state: "ready", can: CAN };
  }

  /** Whether it has greeted, and waits for an editor that knows its code. */
  get isWaiting(): boolean {
    return this.#meeting !== null && !this.isPaired;
  }

  get isPaired(): boolean {
    return this.#state === "ready";
  }

  /**
   * Reads the app's messages until the connection ends. @param onPaired Called once both sides have
   * authenticated.
   */
  async run(onPaired: () => void): Promise<void> {
    const hello = new AbortController();
    this.#ports.clock.sleep(HELLO_MS, hello.signal).then(
      () => this.#socket.close(1008, "an app identifies itself immediately"),
      () => {},
    );
    this.#stands.then(() => hello.abort());
    for (;;) {
      const received = await this.#receive();
      if (received === null) break;
      const most = this.isPaired ? MAX_TEXT : MAX_GREETING;
      const isMessage = typeof received === "string" && received.length <= most;
      const message = isMessage ? readAppMessage(parseJson(received)) : null;
      const taken = message !== null && await this.#take(message);
      if (!taken) this.#socket.close(1008, "that is not of the protocol");
      if (this.#state !== "new") this.#settle();
      if (this.isPaired) onPaired();
    }
    this.#settle();
    this.#proving?.end("gone");
    for (const end of [...this.#waiting.values()]) end(null);
  }

  /** Proves to the app that the editor knows the code on its screen. */
  async prove(code: string, signal: AbortSignal): Promise<Proved> {
    const { clock } = this.#ports;
    try {
      return await withTimeout(async (ending) => {
        await this.#stands;
        const meeting = this.#meeting;
        const canProve = this.#state === "unpaired" && this.#proving === null && !ending.aborted;
        if (!canProve || meeting === null) return "gone";
        const proved = new Promise<Proved>((end) => this.#proving = { code, end });
        // A proof that arrives after the wait has ended does not belong to this code.
        ending.addEventListener("abort", () => this.#proving = null, { once: true });
        this.#say({ say: "prove", proof: proofOf(code, "editor", meeting) });
        return await proved.finally(() => this.#proving = null);
      }, { clock, timeoutMs: ANSWER_MS, signal });
    } catch (thrown) {
      if (thrown instanceof TimeoutError) return "gone";
      throw thrown;
    }
  }

  close(): void {
    this.#socket.close(1000);
  }

  /** Drops a connection whose other end may not answer a close. */
  drop(): void {
    this.#socket.drop();
  }

  async screenshot(signal: AbortSignal): Answer<Shot> {
    const answered = await this.#ask({ do: "screenshot" }, signal, PICTURE_MS);
    if (!answered.ok) return answered;
    const { answer, bytes } = answered.value;
    const image = bytes === undefined ? null : pngSize(bytes);
    if (!("screen" in answer) || bytes === undefined || image === null) return badAnswer();
    if (!hasShapeOf(image, answer.screen)) return badAnswer();
    return ok({ bytes, image, screen: { ...answer.screen, unitsPerPoint: 1 } });
  }

  async screen(signal: AbortSignal): Answer<Screen> {
    const answered = await this.#ask({ do: "screen" }, signal);
    if (!answered.ok) return answered;
    const { answer } = answered.value;
    return "screen" in answer ? ok({ ...answer.screen, unitsPerPoint: 1 }) : badAnswer();
  }

  async touch({ path, durationMs, screen }: Touch, signal: AbortSignal): Answer<null> {
    const { width, height, rotation } = screen;
    const ask = { do: "touch", path, durationMs, screen: { width, height, rotation } } as const;
    const answered = await this.#ask(ask, signal, ANSWER_MS + durationMs);
    if (!answered.ok) return answered;
    return "done" in answered.value.answer ? ok(null) : badAnswer();
  }

  async evaluate(expression: string, signal: AbortSignal): Answer<Evaluated> {
    const ask = { do: "eval", script: evaluationScript(expression) } as const;
    const answered = await this.#ask(ask, signal, EVALUATION_MS + 2_000);
    if (!answered.ok) {
      return answered.error.code === "app-timeout"
        ? evaluationTimeout("The page may hang: look at the phone, and open the game again")
        : answered;
    }
    const { answer } = answered.value;
    return "text" in answer ? readEvaluation(answer.text) : badAnswer();
  }

  consoleLog(): Answer<DeviceLog> {
    return Promise.resolve(ok(this.#log));
  }

  /** @returns Whether it is of the protocol, and not too early. */
  async #take(message: AppMessage): Promise<boolean> {
    switch (message.say) {
      case "hello":
        return this.#meeting === null && await this.#meet(message);
      case "code":
        if (this.#state !== "new" || this.#meeting === null) return false;
        this.#state = "unpaired";
        return true;
      case "wrong":
        this.#proving?.end("wrong");
        return this.#state === "unpaired";
      case "paired":
        return await this.#trust(message.proof);
      case "answer":
        return await this.#answered(message);
      case "log":
        if (!this.isPaired) return false;
        for (const line of message.entries) this.#log.push(line);
        return true;
    }
  }

  async #meet({ app, name, nonce }: AppMessage & { readonly say: "hello" }): Promise<boolean> {
    const { paired } = this.#ports;
    const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
    const editorNonce = newNonce(random);
    const known = await paired.of(app);
    // An unpaired app receives a random id: with a stable one, any page could track the developer.
    const editor = known?.editor ?? newNonce(random);
    const meeting = { app, editor, appNonce: nonce, editorNonce };
    [this.#meeting, this.#name] = [meeting, withoutInvisible(plainText(name, MAX_NAME))];
    this.#say({
      say: "meet",
      editor: meeting.editor,
      nonce: editorNonce,
      ...(known !== null && { proof: proofOf(known.key, "editor", meeting) }),
    });
    return true;
  }

  /** The app trusts this editor, and proves that it knows the code or the key. */
  async #trust(proof: string): Promise<boolean> {
    const meeting = this.#meeting;
    if (meeting === null || this.isPaired) return false;
    const { paired } = this.#ports;
    const code = this.#proving?.code;
    const known = await paired.of(meeting.app);
    const secret = code ?? known?.key;
    if (secret === undefined || !sameText(proofOf(secret, "app", meeting), proof)) return false;
    const { editor } = meeting;
    this.#id = code === undefined
      ? known?.id ?? ""
      : await paired.keep(meeting.app, { editor, key: keyOf(code, meeting) });
    this.#state = "ready";
    this.#proving?.end("paired");
    return true;
  }

  async #answered({ id, ...answer }: AppMessage & { readonly say: "answer" }): Promise<boolean> {
    const end = this.#waiting.get(id);
    const hasPicture = "picture" in answer && answer.picture === true;
    const next = hasPicture ? await this.#receive() : null;
    const bytes = next instanceof Uint8Array ? next : undefined;
    if (hasPicture && bytes === undefined) return false;
    // The caller may no longer wait; the answer is then ignored.
    end?.({ answer: { id, ...answer }, ...(bytes !== undefined && { bytes }) });
    return this.isPaired;
  }

  async #ask(ask: BridgeAsk, signal: AbortSignal, timeoutMs = ANSWER_MS): Answer<Answered> {
    const id = ++this.#last;
    try {
      const answered = await withTimeout(() => {
        const waited = new Promise<Answered | null>((end) => this.#waiting.set(id, end));
        this.#say({ say: "ask", id, ask });
        return waited;
      }, { clock: this.#ports.clock, timeoutMs, signal });
      if (answered === null) return appGone();
      const { answer } = answered;
      if (answer.ok) return ok(answered);
      if (answer.code === "screen-changed") return screenChanged(answer.detail);
      const detail = `The app could not do it: ${plainText(answer.detail, MAX_DETAIL)}`;
      return refuse(422, "app-refused", detail, "device_console_logs may say more");
    } catch (thrown) {
      if (!(thrown instanceof TimeoutError)) throw thrown;
      const detail = `The app did not answer within ${timeoutMs / 1000} s`;
      return refuse(422, "app-timeout", detail, "See that it is open and in front");
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Returns the next message; ends the connection if messages arrive too fast. */
  async #receive(): Promise<SocketMessage | null> {
    const received = await this.#socket.receive();
    if (received === null) return null;
    const now = this.#ports.clock.monotonic();
    if (now - this.#rate.from >= RATE_MS) this.#rate = { from: now, count: 0, bytes: 0 };
    this.#rate.count++;
    this.#rate.bytes += received.length;
    if (this.#rate.count <= MAX_RATE && this.#rate.bytes <= MAX_RATE_BYTES) return received;
    this.#socket.close(1008, "too many messages");
    return null;
  }

  #say(message: EditorMessage): void {
    this.#socket.send(JSON.stringify(message));
  }
}

function appGone(): Result<never, Problem> {
  const detail = "The app has closed its connection";
  return refuse(
    422,
    "app-gone",
    detail,
    "Open the game again; device_list lists it once connected",
  );
}

function badAnswer(): Result<never, Problem> {
  const detail = "The app answered something else than it was asked for";
  return refuse(422, "app-refused", detail, "Build and install the game again");
}
