import { createDeflating as createInline } from "../node/deflating.ts";
import type { Deflating } from "../../lib/ports/deflate.ts";
import { DeflateThread } from "./deflate-thread.ts";

/** Bytes that are deflated before a thread is started: starting it takes as long. */
const WITHOUT_THREAD_BYTES = 2 * 1024 * 1024;
/** A smaller piece takes less time to deflate than to send to another thread. */
const SMALL_BYTES = 2 * 1024;

/** `cancel` is in the standard, and not yet in the types. */
interface StreamTransformer extends Transformer<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  readonly cancel: () => void;
}

/**
 * Creates zlib on a thread of its own: Deno's `node:zlib` deflates on the calling thread. If no
 * thread can start (a missing permission, a program of `deno compile` without the file), the
 * calling one deflates.
 */
export function createDeflating(): Deflating {
  const inline = createInline();
  const thread = new DeflateThread();
  let inlineBytes = 0;
  let hasThread = true;
  const giveUpThread = () => { // each further try would cost as much as starting a thread
    hasThread = false;
    return null;
  };

  return {
    crc32: inline.crc32,

    async deflate(bytes, framing) {
      if (!hasThread || bytes.length < SMALL_BYTES) return await inline.deflate(bytes, framing);
      if (inlineBytes < WITHOUT_THREAD_BYTES) {
        inlineBytes += bytes.length;
        return await inline.deflate(bytes, framing);
      }
      const deflated = await thread.deflate(bytes, framing).catch(giveUpThread);
      return deflated ?? await inline.deflate(bytes, framing);
    },

    async deflateStream() {
      const stream = hasThread ? await thread.openStream().catch(giveUpThread) : null;
      if (stream === null) return await inline.deflateStream();
      const deflating: StreamTransformer = {
        async transform(chunk, controller) {
          const deflated = await stream.next(chunk);
          if (deflated.length > 0) controller.enqueue(deflated);
        },
        async flush(controller) {
          const rest = await stream.end();
          if (rest.length > 0) controller.enqueue(rest);
        },
        cancel: () => stream.abandon(),
      };
      return new TransformStream(deflating);
    },
  };
}
