import { Writable } from "node:stream";

/**
 * Standard output that never holds up the process: `process.stdout` waits in place while nobody reads,
 * and no signal is heard meanwhile.
 */
export function createStdout(): Writable {
  const writer = Deno.stdout.writable.getWriter();
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      writer.write(chunk).then(() => done(), done);
    },
  });
}
