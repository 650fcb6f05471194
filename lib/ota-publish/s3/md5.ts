/** Bits by which a step of each round rotates, in turn. */
const ROTATIONS = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]] as const;

/**
 * MD5 (RFC 1321) of bytes, for the header `Content-MD5`, which stores ask for: it detects accidental
 * changes, not deliberate ones.
 *
 * @returns 16 bytes.
 */
export function md5(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = padded(message);
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  for (let start = 0; start < blocks.byteLength; start += 64) {
    let [a = 0, b = 0, c = 0, d = 0] = state;
    for (let step = 0; step < 64; step++) {
      const round = step >> 4;
      const [mixed, index] = [
        [b & c | ~b & d, step],
        [d & b | ~d & c, 5 * step + 1],
        [b ^ c ^ d, 3 * step + 5],
        [c ^ (b | ~d), 7 * step],
      ][round] ?? [0, 0];
      const word = blocks.getUint32(start + 4 * ((index ?? 0) & 15), true);
      const sum = a + (mixed ?? 0) + Math.floor(2 ** 32 * Math.abs(Math.sin(step + 1))) + word | 0;
      const bits = ROTATIONS[round]?.[step & 3] ?? 0;
      [a, b, c, d] = [d, b + (sum << bits | sum >>> 32 - bits) | 0, b, c];
    }
    [a, b, c, d].forEach((value, i) => state[i] = (state[i] ?? 0) + value);
  }
  const bytes = new DataView(new ArrayBuffer(16));
  state.forEach((value, i) => bytes.setUint32(4 * i, value, true));
  return new Uint8Array(bytes.buffer);
}

/** A message, a bit, zeros to a whole block, and the message's length in bits. */
function padded(message: Uint8Array): DataView {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const blocks = new DataView(bytes.buffer);
  blocks.setBigUint64(bytes.length - 8, BigInt(message.length) * 8n, true);
  return blocks;
}
