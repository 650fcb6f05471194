import { viewOf } from "../../core/bytes.ts";
/**
 * Reads the length and format of a WAV file from its first bytes; `null` if it is not one. RIFF,
 * little-endian: "RIFF", size, "WAVE", then chunks of 4 name, 4 size, content (padded to even).
 * "fmt ": 2 channels (2), 4 samples per second (4), 8 bytes per second (4). "data": the samples.
 *
 * @param fileSize Bytes of the file, which bound the number of samples.
 */
export function readWav(
  head: Uint8Array,
  fileSize: number = Infinity,
): { readonly seconds: number; readonly channels: number; readonly hertz: number } | null {
  const view = viewOf(head);
  const isWav = head.length >= 12 && view.getUint32(0) === 0x52494646 &&
    view.getUint32(8) === 0x57415645;
  if (!isWav) return null;
  let form: { readonly channels: number; readonly hertz: number; readonly rate: number } | null =
    null;
  for (let at = 12; at + 8 <= head.length;) {
    const name = view.getUint32(at);
    const size = view.getUint32(at + 4, true);
    if (name === 0x666d7420 && at + 20 <= head.length) {
      form = {
        channels: view.getUint16(at + 10, true),
        hertz: view.getUint32(at + 12, true),
        rate: view.getUint32(at + 16, true),
      };
    }
    if (name === 0x64617461 && form !== null && form.rate > 0) {
      const there = Math.min(size, fileSize - at - 8);
      return { seconds: there / form.rate, channels: form.channels, hertz: form.hertz };
    }
    at += 8 + size + size % 2;
  }
  return null;
}
