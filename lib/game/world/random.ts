/** Chance that is the same in every game from the same start. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 32 bits (mulberry32). */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 up to 1, without 1. */
  next(): number {
    return this.bits() / 0x1_0000_0000;
  }

  /** A UUID of version 8 (RFC 9562 §5.8). */
  guid(): string {
    const hex = Array.from({ length: 4 }, () => this.bits().toString(16).padStart(8, "0")).join("");
    const variant = (0x8 | (Number.parseInt(hex.charAt(16), 16) & 0x3)).toString(16);
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `8${hex.slice(13, 16)}`,
      `${variant}${hex.slice(17, 20)}`,
      hex.slice(20),
    ].join("-");
  }
}
