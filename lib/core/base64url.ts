const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Base64url without padding (RFC 4648 §5). */
export function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const a = bytes[i] ?? 0;
    const b = bytes[i + 1] ?? 0;
    const c = bytes[i + 2] ?? 0;
    const group = a << 16 | b << 8 | c;
    const digits = Math.min(bytes.length - i, 3) + 1;
    for (let d = 0; d < digits; d++) text += ALPHABET.charAt(group >> (18 - 6 * d) & 63);
  }
  return text;
}

/**
 * Decodes base64url without padding. Only the canonical spelling is taken: padding, white space,
 * the `+/` alphabet and non-zero trailing bits are refused, so that one value has one text.
 *
 * @returns The bytes, or `null` when `text` is not canonical base64url.
 */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor(text.length * 3 / 4));
  let buffer = 0;
  let bits = 0;
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = ALPHABET.indexOf(text.charAt(i));
    if (digit < 0) return null;
    buffer = (buffer << 6 | digit) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = buffer >> bits & 0xff;
    }
  }
  return (buffer & (1 << bits) - 1) === 0 ? bytes : null;
}
