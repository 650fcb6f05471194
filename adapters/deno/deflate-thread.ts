import { existsSync } from "node:fs";
import { clearTimeout, setTimeout } from "node:timers";
import { Worker } from "node:worker_threads";
import type { DeflateFraming } from "../../lib/ports/deflate.ts";

// Buffers are sent, and not views of them: Deno's node:worker_threads walks through a view byte by byte.

/** The work of a request: bytes as a whole, or a chunk of a stream, which its first chunk opens. */
export type DeflateTask =
  | { readonly framing: DeflateFraming; readonly stream?: undefined }
  | { readonly stream: number; readonly part: "first" | "next" | "last" };

/** A request to the thread. Its buffer is transferred, and returns with the answer. */
export type DeflateRequest = DeflateTask & {
  readonly id: number;
  /** Has room for more than the bytes. */
  readonly buffer: ArrayBuffer;
  /** Bytes of it that are deflated. */
  readonly bytes: number;
};

/** Notifies the thread that the rest of a stream is not needed. Has no answer. */
export interface DeflateAbandon {
  readonly abandoned: number;
}

/** Output of a request, in a buffer that is transferred; a chunk may have none yet. */
export interface DeflateAnswer {
  readonly id: number;
  readonly buffer?: ArrayBuffer;
  /** The buffer of the request. */
  readonly spare: ArrayBuffer;
  /** Why there is no output. */
  readonly failure?: string;
}

/** Milliseconds without work after which the thread ends; the next request starts it again. */
const IDLE_MS = 1_000;
/** Its input and output are outside its heap. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 4 };

/** Bytes of a reusable buffer: new ones accumulate until the heap's own garbage is collected. */
const SPARE_BYTES = 1024 * 1024;
/** Buffers that are kept for reuse. */
const SPARES = 4;

const ENDED = "the thread that deflates has ended";

interface Waiting {
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (thrown: Error) => void;
}

const NOTHING = new Uint8Array();

/** A stream that is deflated on the thread. */
export interface ThreadStream {
  /**
   * Deflates a chunk, which is copied.
   *
   * @returns The output, perhaps empty.
   * @throws If zlib fails, the thread has ended since the stream was opened, or the stream was
   * abandoned. The stream is released.
   */
  next(chunk: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** @returns The rest. */
  end(): Promise<Uint8Array<ArrayBuffer>>;
  /** Releases the stream: its rest is not needed. */
  abandon(): void;
}

/** A thread that deflates. It keeps the process alive only while a result is awaited. */
export class DeflateThread {
  #worker: Worker | null = null;
  #idle: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Map<number, Waiting>();
  readonly #streams = new Set<number>();
  readonly #spares: ArrayBuffer[] = [];
  readonly #module: () => URL;
  #lastId = 0;

  /** @param module Returns the module that the thread runs. */
  constructor(module: () => URL = workerModule) {
    this.#module = module;
  }

  /** Deflates bytes, which are copied. @throws If the thread cannot start, or ends. */
  async deflate(bytes: Uint8Array, framing: DeflateFraming): Promise<Uint8Array<ArrayBuffer>> {
    return await this.#run(bytes, { framing });
  }

  /** Begins a stream, as raw deflate. @throws When the thread cannot start. */
  async openStream(): Promise<ThreadStream> {
    const stream = ++this.#lastId;
    await this.#run(NOTHING, { stream, part: "first" });
    const worker = this.#worker;
    this.#streams.add(stream);
    const abandon = () => {
      const message: DeflateAbandon = { abandoned: stream };
      if (this.#worker === worker) worker?.postMessage(message);
      this.#close(stream);
    };
    const run = async (bytes: Uint8Array, part: "next" | "last") => {
      if (this.#worker !== worker) throw new Error(ENDED); // a new thread does not have the earlier chunks
      try {
        return await this.#run(bytes, { stream, part });
      } catch (thrown) {
        abandon(); // a stream that failed is not continued
        throw thrown;
      }
    };
    return {
      next: (chunk) => run(chunk, "next"),
      end: () => run(NOTHING, "last").finally(() => this.#close(stream)),
      abandon,
    };
  }

  async #run(bytes: Uint8Array, task: DeflateTask): Promise<Uint8Array<ArrayBuffer>> {
    clearTimeout(this.#idle);
    const worker = this.#worker ??= this.#start();
    worker.ref();
    const id = ++this.#lastId;
    const buffer = this.#bufferWith(bytes);
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        const request: DeflateRequest = { ...task, id, buffer, bytes: bytes.length };
        worker.postMessage(request, [buffer]);
      });
    } finally {
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#rest();
    }
  }

  #bufferWith(bytes: Uint8Array): ArrayBuffer {
    const isLarge = bytes.length > SPARE_BYTES;
    const buffer = isLarge
      ? new ArrayBuffer(bytes.length)
      : this.#spares.pop() ?? new ArrayBuffer(SPARE_BYTES);
    new Uint8Array(buffer).set(bytes);
    return buffer;
  }

  #start(): Worker {
    const worker = new Worker(this.#module(), { resourceLimits: HEAP_LIMITS });
    worker.on("message", ({ id, buffer, spare, failure }: DeflateAnswer) => {
      if (spare.byteLength === SPARE_BYTES && this.#spares.length < SPARES) {
        this.#spares.push(spare);
      }
      const waiting = this.#waiting.get(id);
      if (buffer !== undefined) waiting?.resolve(new Uint8Array(buffer));
      else waiting?.reject(new Error(failure));
    });
    worker.on("error", (thrown) => this.#end(worker, thrown));
    worker.on("exit", () => this.#end(worker, new Error(ENDED)));
    return worker;
  }

  #end(worker: Worker, thrown: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#spares.length = 0;
    this.#streams.clear();
    for (const { reject } of this.#waiting.values()) reject(thrown);
  }

  #close(stream: number): void {
    this.#streams.delete(stream);
    if (this.#waiting.size === 0) this.#rest();
  }

  #rest(): void {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    worker?.unref();
    this.#idle = setTimeout(() => {
      if (this.#waiting.size > 0 || this.#streams.size > 0) return;
      this.#worker = null;
      this.#spares.length = 0;
      void worker?.terminate();
    }, IDLE_MS);
    this.#idle.unref();
  }
}

/**
 * The module that the thread runs. A worker takes files and data only: a package from JSR is imported by
 * data.
 *
 * @throws When the file is missing, as next to a bundle: Deno would print that.
 */
function workerModule(): URL {
  const url = new URL("./deflate-worker.ts", import.meta.url);
  if (url.protocol !== "file:") {
    return new URL(
      `data:text/javascript,${encodeURIComponent(`import ${JSON.stringify(url.href)};`)}`,
    );
  }
  if (!existsSync(url)) throw new Error(`found no ${url.pathname}`);
  return url;
}
