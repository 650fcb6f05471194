import { newCode, type Randomness, shownCode } from "./pairing.ts";

/** Lifetime of a code, in milliseconds. */
const CODE_MS = 5 * 60_000;
/** Wrong proofs that a code outlives, and one more. */
const TRIES = 3;

/** The parts that draw and show a code. */
export interface CodeParts {
  readonly random: Randomness;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Shows a code, `ABCD EFGH`, or hides it. */
  readonly show: (code: string | null) => void;
}

/** The code on the screen of an app: one for all its connections, so that no new one gives more tries. */
export class CodeKeeper {
  readonly #parts: CodeParts;
  #code: { readonly text: string; readonly until: number; left: number } | null = null;

  constructor(parts: CodeParts) {
    this.#parts = parts;
  }

  /** The code that counts now. */
  code(): string | null {
    if (this.#code !== null && this.#parts.now() >= this.#code.until) this.end();
    return this.#code?.text ?? null;
  }

  /** Ensures that a code is shown: makes a new one if there is none, or the last is too old. */
  show(): void {
    if (this.code() !== null) return;
    const text = newCode(this.#parts.random);
    this.#code = { text, until: this.#parts.now() + CODE_MS, left: TRIES };
    this.#parts.show(shownCode(text));
  }

  /** Counts a wrong proof. @returns How many more the code survives; at 0 it is discarded. */
  miss(): number {
    if (this.code() === null || this.#code === null) return 0;
    this.#code.left--;
    const { left } = this.#code;
    if (left === 0) this.end();
    return left;
  }

  /** It has been used, or has served. */
  end(): void {
    if (this.#code === null) return;
    this.#code = null;
    this.#parts.show(null);
  }
}
