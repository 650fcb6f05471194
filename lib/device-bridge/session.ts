import { messageOf } from "../core/result.ts";
import type { CodeKeeper } from "./code.ts";
import type { EditorKeys } from "./editor-keys.ts";
import { keyOf, type Meeting, proofOf, sameText } from "./pairing.ts";
import { plainJson } from "./plain-json.ts";
import type {
  AppMessage,
  BridgeAnswer,
  BridgeAsk,
  ConsoleLine,
  EditorMessage,
} from "./protocol.ts";

/** Carries out the requests of a paired editor. */
export interface BridgeHost {
  /** Carries out a request; throws its error. */
  does(ask: BridgeAsk): Promise<AskOutcome>;
}

/** The outcome of a request. A picture is sent beside it, as the bytes of a PNG file. */
export type AskOutcome =
  & (BridgeAnswer extends infer Answer ? Answer extends unknown ? Omit<Answer, "id"> : never
    : never)
  & { readonly bytes?: Uint8Array<ArrayBuffer> };

/** The parts of a session. */
export interface SessionParts {
  readonly host: BridgeHost;
  readonly codes: CodeKeeper;
  readonly keys: EditorKeys;
  /** Of this connection. */
  readonly nonce: string;
  readonly send: (message: string | Uint8Array<ArrayBuffer>) => void;
  /** Ends the connection. */
  readonly close: () => void;
  /** Called once the editor is trusted. */
  readonly onPaired: () => void;
}

/**
 * One connection of an app to an editor: an editor that has not proved its identity gets nothing
 * (DEV-41).
 */
export class BridgeSession {
  readonly #parts: SessionParts;
  #meeting: Meeting | null = null;
  #isPaired = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Begins: the app names itself. */
  begin(name: string): void {
    const { keys, nonce } = this.#parts;
    this.#say({ say: "hello", app: keys.app, name, nonce });
  }

  /** Sends lines of the console to a paired editor only. @returns Whether it did. */
  log(entries: readonly ConsoleLine[]): boolean {
    if (this.#isPaired) this.#say({ say: "log", entries });
    return this.#isPaired;
  }

  /** Ensures that a code is shown while the session waits for one: each lives a few minutes. */
  keepCode(): void {
    if (this.#meeting !== null && !this.#isPaired) this.#parts.codes.show();
  }

  /** Handles an editor's message. One that is invalid, or too early, ends the connection. */
  take(message: EditorMessage | null): void {
    switch (message?.say) {
      case "meet":
        return this.#meet(message);
      case "prove":
        return this.#prove(message.proof);
      case "ask":
        return this.#isPaired ? void this.#answer(message.id, message.ask) : this.#parts.close();
      default:
        return this.#parts.close();
    }
  }

  #meet({ editor, nonce: editorNonce, proof }: EditorMessage & { readonly say: "meet" }): void {
    const { keys, nonce: appNonce, close } = this.#parts;
    if (this.#meeting !== null) return close();
    this.#meeting = { app: keys.app, editor, appNonce, editorNonce };
    const key = keys.of(editor);
    // An editor that has lost its key is a stranger like any other.
    if (key !== null && proof !== undefined && this.#holds(key, proof)) {
      return this.#trust(key, this.#meeting);
    }
    this.#parts.codes.show();
    this.#say({ say: "code" });
  }

  #prove(proof: string): void {
    const { codes, keys, close } = this.#parts;
    const meeting = this.#meeting;
    if (meeting === null || this.#isPaired) return close();
    const code = codes.code();
    if (code !== null && this.#holds(code, proof)) {
      codes.end();
      keys.keep(meeting.editor, keyOf(code, meeting));
      return this.#trust(code, meeting);
    }
    const left = codes.miss();
    this.#say({ say: "wrong", left });
    if (left === 0) close();
  }

  /** Whether the editor of this meeting has proved with it that it holds a secret. */
  #holds(secret: string, proof: string): boolean {
    return this.#meeting !== null && sameText(proofOf(secret, "editor", this.#meeting), proof);
  }

  #trust(secret: string, meeting: Meeting): void {
    this.#isPaired = true;
    this.#say({ say: "paired", proof: proofOf(secret, "app", meeting) });
    this.#parts.onPaired();
  }

  async #answer(id: number, ask: BridgeAsk): Promise<void> {
    const outcome = await this.#parts.host.does(ask).catch((thrown: unknown): AskOutcome => ({
      ok: false,
      code: "failed",
      detail: messageOf(thrown),
    }));
    const { bytes, ...answer } = outcome;
    this.#say({ say: "answer", id, ...answer });
    if (bytes !== undefined) this.#parts.send(bytes);
  }

  #say(message: AppMessage): void {
    this.#parts.send(plainJson(message));
  }
}
