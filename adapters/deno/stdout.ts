import { Writable } from "node:stream";

/**
 * Creates a standard output that never blocks the process: `process.stdout` waits synchronously for
 * its reader, and signals are not handled in that time.
 */
export function createStdout(): Writable {
  const writer = Deno.stdout.writable.getWriter();
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      writer.write(chunk).then(() => done(), done);
    },
  });
}
