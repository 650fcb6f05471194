// Deflate (RFC 1951) in a zlib frame (RFC 1950), whose bytes follow from the input alone: what runtimes
// bring deflates to other bytes in each, and so in each version of one.

/** Symbols of a block at most: one block has one pair of codes. */
const BLOCK = 32_768;
const WINDOW = 32_768;
const [SHORTEST, LONGEST] = [3, 258];
/** Earlier places that are tried for a repetition. */
const TRIES = 32;
/** The code of lengths, in the order that a block's header has them (§3.2.7). */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END = 256;

/** A byte, or a repetition of earlier bytes. */
type Piece = number | { readonly length: number; readonly distance: number };

/** Deflates bytes. */
export function zlibDeflated(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Bits();
  out.write(0x0178, 16);
  const symbols = symbolsOf(bytes);
  for (let start = 0; start === 0 || start < symbols.length; start += BLOCK) {
    writeBlock(out, symbols.slice(start, start + BLOCK), start + BLOCK >= symbols.length);
  }
  out.align();
  let [a, b] = [1, 0]; // Adler-32
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  for (const byte of [b >> 8, b & 255, a >> 8, a & 255]) out.write(byte, 8);
  return out.bytes();
}

/** Replaces what stood before: the longest of the nearest places with the same three bytes. */
function symbolsOf(bytes: Uint8Array): Piece[] {
  const symbols: Piece[] = [];
  const newest = new Int32Array(65_536).fill(-1);
  const older = new Int32Array(bytes.length);
  const remember = (at: number) => {
    if (at + SHORTEST > bytes.length) return;
    const key = keyAt(bytes, at);
    older[at] = newest[key] ?? -1;
    newest[key] = at;
  };
  for (let at = 0; at < bytes.length;) {
    const most = Math.min(LONGEST, bytes.length - at);
    let [length, distance] = [0, 0];
    let before = most < SHORTEST ? -1 : newest[keyAt(bytes, at)] ?? -1;
    for (let n = 0; n < TRIES && before >= 0 && at - before <= WINDOW; n++) {
      let same = 0;
      while (same < most && bytes[before + same] === bytes[at + same]) same++;
      if (same > length) [length, distance] = [same, at - before];
      if (same === most) break;
      before = older[before] ?? -1;
    }
    const isRepetition = length >= SHORTEST;
    symbols.push(isRepetition ? { length, distance } : bytes[at] ?? 0);
    for (const end = at + (isRepetition ? length : 1); at < end; at++) remember(at);
  }
  return symbols;
}

function keyAt(bytes: Uint8Array, at: number): number {
  const three = (bytes[at] ?? 0) | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0) << 16;
  return Math.imul(three, 0x9e3779b1) >>> 16;
}

/** A block with codes of its own (§3.2.7). */
function writeBlock(out: Bits, symbols: readonly Piece[], isLast: boolean): void {
  const [literals, distances] = [new Array<number>(286).fill(0), new Array<number>(30).fill(0)];
  const count = (counts: number[], code: number) => counts[code] = (counts[code] ?? 0) + 1;
  count(literals, END);
  for (const symbol of symbols) {
    if (typeof symbol === "number") count(literals, symbol);
    else {
      count(literals, lengthCode(symbol.length).code);
      count(distances, distanceCode(symbol.distance).code);
    }
  }
  const [literal, distance] = [new Code(literals, 15), new Code(distances, 15)];
  const lengths = [...literal.lengths, ...distance.lengths];
  const lengthCounts = new Array<number>(19).fill(0);
  for (const length of lengths) count(lengthCounts, length);
  const header = new Code(lengthCounts, 7);
  out.write(isLast ? 1 : 0, 1);
  out.write(2, 2);
  out.write(literals.length - 257, 5);
  out.write(distances.length - 1, 5);
  out.write(LENGTH_ORDER.length - 4, 4);
  for (const length of LENGTH_ORDER) out.write(header.lengths[length] ?? 0, 3);
  for (const length of lengths) header.write(out, length);
  for (const symbol of symbols) {
    if (typeof symbol === "number") literal.write(out, symbol);
    else {
      const length = lengthCode(symbol.length);
      literal.write(out, length.code);
      out.write(length.more, length.bits);
      const far = distanceCode(symbol.distance);
      distance.write(out, far.code);
      out.write(far.more, far.bits);
    }
  }
  literal.write(out, END);
}

/** §3.2.5: four codes for each number of further bits. */
function lengthCode(length: number) {
  if (length === LONGEST) return { code: 285, bits: 0, more: 0 };
  const { code, bits, more } = stepped(length - SHORTEST, 4);
  return { code: 257 + code, bits, more };
}

/** §3.2.5: two codes for each number of further bits. */
function distanceCode(distance: number) {
  return stepped(distance - 1, 2);
}

function stepped(value: number, codesEach: 2 | 4) {
  const bits = value < codesEach * 2 ? 0 : 31 - Math.clz32(value) - Math.log2(codesEach);
  return { code: bits * codesEach + (value >> bits), bits, more: value & ((1 << bits) - 1) };
}

/** A prefix code (§3.2.2). */
class Code {
  /** Bits of each symbol; 0 for one that is not used. */
  readonly lengths: readonly number[];
  readonly #words: readonly number[];

  constructor(counts: readonly number[], longest: number) {
    let scarce = counts;
    let lengths = huffmanLengths(scarce);
    while (Math.max(...lengths) > longest) { // flatter counts, a flatter tree
      scarce = scarce.map((count) => count === 0 ? 0 : (count >> 1) + 1);
      lengths = huffmanLengths(scarce);
    }
    this.lengths = lengths;
    const words = new Array<number>(counts.length).fill(0);
    let word = 0;
    for (let length = 1; length <= longest; length++) {
      for (const [symbol, own] of lengths.entries()) {
        if (own === length) words[symbol] = reversed(word++, length);
      }
      word <<= 1;
    }
    this.#words = words;
  }

  write(out: Bits, symbol: number): void {
    out.write(this.#words[symbol] ?? 0, this.lengths[symbol] ?? 0);
  }
}

/** Words begin with their highest bit, numbers with their lowest (§3.1.1). */
function reversed(word: number, length: number): number {
  let turned = 0;
  for (let bit = 0; bit < length; bit++) turned |= (word >> bit & 1) << (length - 1 - bit);
  return turned;
}

/** The depth of each symbol in a tree that always joins the two that are counted least. */
function huffmanLengths(counts: readonly number[]): number[] {
  const lengths = new Array<number>(counts.length).fill(0);
  let trees = counts.flatMap((count, symbol) => count > 0 ? [{ count, symbols: [symbol] }] : []);
  // A code of one word is no whole code: readers want two, or none.
  for (let symbol = 0; trees.length < 2; symbol++) {
    if (counts[symbol] === 0) trees.push({ count: 0, symbols: [symbol] });
  }
  while (trees.length > 1) {
    trees = trees.toSorted((a, b) => a.count - b.count); // stable
    const [one, two, ...others] = trees;
    if (one === undefined || two === undefined) break;
    const symbols = [...one.symbols, ...two.symbols];
    for (const symbol of symbols) lengths[symbol] = (lengths[symbol] ?? 0) + 1;
    trees = [...others, { count: one.count + two.count, symbols }];
  }
  return lengths;
}

/** Bits, the lowest first. */
class Bits {
  #bytes = new Uint8Array(65_536);
  #length = 0;
  #held = 0;
  #count = 0;

  /** @param bits At most 16. */
  write(value: number, bits: number): void {
    this.#held |= value << this.#count;
    this.#count += bits;
    for (; this.#count >= 8; this.#count -= 8) {
      this.#push(this.#held & 255);
      this.#held >>>= 8;
    }
  }

  /** Fills the last byte. */
  align(): void {
    this.write(0, (8 - this.#count) % 8);
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const more = new Uint8Array(this.#bytes.length * 2);
      more.set(this.#bytes);
      this.#bytes = more;
    }
    this.#bytes[this.#length++] = byte;
  }
}
