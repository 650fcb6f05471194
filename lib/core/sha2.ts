// SHA-256 and SHA-512 (FIPS 180-4) for a web view without WebCrypto, where the bundle that carries
// them may have 14 KB: a library's two hashes take a third of that, this file a twelfth. It hashes
// one short record per update and is written for size; larger machines hash files elsewhere
// (sha256.ts).
//
// All constants come from one place: the first 64 bits of the fractional parts of square and cube
// roots of the first primes (FIPS 180-4 §4.2). SHA-256 takes the first 32 of the same.

const MASK = (1n << 64n) - 1n;

/** Cube roots, computed once: that takes longer than hashing a short record. */
let cubes: bigint[] | undefined;

/** SHA-512 of bytes. @returns 64 bytes. */
export function sha512(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const rotated = (x: bigint, bits: bigint) => x >> bits | x << 64n - bits & MASK;
  const keys = cubes ??= rootFractions(80, 3n);
  const state = rootFractions(8, 2n);
  const words: bigint[] = [];
  const word = (index: number) => words[index] ?? 0n;
  const blocks = padded(message, 128);
  for (let start = 0; start < blocks.byteLength; start += 128) {
    let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state;
    keys.forEach((key, t) => {
      if (t < 16) {
        const at = start + 8 * t; // not getBigUint64, which came later than BigInt
        words[t] = BigInt(blocks.getUint32(at)) << 32n | BigInt(blocks.getUint32(at + 4));
      } else {
        const x = word(t - 15);
        const y = word(t - 2);
        words[t] = word(t - 16) + word(t - 7) + (rotated(x, 1n) ^ rotated(x, 8n) ^ x >> 7n) +
            (rotated(y, 19n) ^ rotated(y, 61n) ^ y >> 6n) & MASK;
      }
      const t1 = h + (rotated(e, 14n) ^ rotated(e, 18n) ^ rotated(e, 41n)) + (e & f ^ ~e & g) +
        key + word(t);
      const t2 = (rotated(a, 28n) ^ rotated(a, 34n) ^ rotated(a, 39n)) + (a & b ^ a & c ^ b & c);
      [h, g, f, e, d, c, b, a] = [g, f, e, d + t1 & MASK, c, b, a, t1 + t2 & MASK];
    });
    [a, b, c, d, e, f, g, h].forEach((value, i) => state[i] = (state[i] ?? 0n) + value & MASK);
  }
  return bytesOf(state.flatMap((value) => [Number(value >> 32n), Number(value & 0xffffffffn)]));
}

/** SHA-256 of bytes. @returns 32 bytes. */
export function sha256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const rotated = (x: number, bits: number) => x >>> bits | x << 32 - bits;
  const high = (value: bigint) => Number(value >> 32n);
  const keys = Uint32Array.from((cubes ??= rootFractions(80, 3n)).map(high));
  const state = Uint32Array.from(rootFractions(8, 2n).map(high));
  const words = new Uint32Array(64);
  const word = (index: number) => words[index] ?? 0;
  const blocks = padded(message, 64);
  for (let start = 0; start < blocks.byteLength; start += 64) {
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let t = 0; t < 64; t++) {
      const x = word(t - 15);
      const y = word(t - 2);
      words[t] = t < 16
        ? blocks.getUint32(start + 4 * t)
        : word(t - 16) + word(t - 7) + (rotated(x, 7) ^ rotated(x, 18) ^ x >>> 3) +
          (rotated(y, 17) ^ rotated(y, 19) ^ y >>> 10);
      const t1 = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (e & f ^ ~e & g) +
        (keys[t] ?? 0) + word(t);
      const t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + (a & b ^ a & c ^ b & c);
      h = g;
      g = f;
      f = e;
      e = d + t1 | 0;
      d = c;
      c = b;
      b = a;
      a = t1 + t2 | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => state[i] = (state[i] ?? 0) + value);
  }
  return bytesOf([...state]);
}

/** The first 64 fractional bits of the roots of the first primes. */
function rootFractions(count: number, degree: bigint): bigint[] {
  const primes: bigint[] = [];
  for (let n = 2n; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0n)) primes.push(n);
  }
  return primes.map((prime) => {
    let root = 0n;
    for (let bit = 1n << 67n; bit > 0n; bit >>= 1n) { // no root here is 8 or more
      if ((root + bit) ** degree <= prime << 64n * degree) root += bit;
    }
    return root & MASK;
  });
}

/** The message, a one bit, zeros, and its length in bits (FIPS 180-4 §5.1). */
function padded(message: Uint8Array, blockBytes: number): DataView {
  const { length } = message;
  const blocks = Math.ceil((length + 1 + blockBytes / 8) / blockBytes);
  const bytes = new Uint8Array(blocks * blockBytes);
  bytes.set(message);
  bytes[length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 8, length / 2 ** 29);
  view.setUint32(bytes.length - 4, length * 8);
  return view;
}

function bytesOf(words: readonly number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(4 * words.length));
  words.forEach((value, i) => view.setUint32(4 * i, value));
  return new Uint8Array(view.buffer);
}
