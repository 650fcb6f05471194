import { crc32, deflateRaw, gzip } from "node:zlib";
import type { Deflating } from "../../lib/ports/deflate.ts";

/** Default level of zlib, and of `zip`. */
export const DEFLATE_LEVEL = 6;

/** zlib, as the runtime has it. */
export function createDeflating(): Deflating {
  return {
    deflate: (bytes, framing) =>
      new Promise((resolve, reject) => {
        const work = framing === "raw" ? deflateRaw : gzip;
        work(bytes, { level: DEFLATE_LEVEL }, (thrown, deflated) => {
          if (thrown === null) resolve(new Uint8Array(deflated));
          else reject(thrown);
        });
      }),
    deflateStream: () => Promise.resolve(new CompressionStream("deflate-raw")),
    crc32: (bytes, before) => crc32(bytes, before),
  };
}
