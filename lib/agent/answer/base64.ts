/** Base64 with padding (RFC 4648 §4): 4 characters for every 3 bytes. */
export function toBase64(bytes: Uint8Array): string {
  // A function call accepts a limited number of arguments, and every three bytes make complete
  // characters.
  const CHUNK = 3 * 4_096;
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  }
  return text;
}
