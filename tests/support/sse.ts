/** One server-sent event. */
export interface ServerEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Reads a stream of events one by one; comments are passed over. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error(`No stream: ${response.status}`);
    this.#reader = response.body.getReader();
  }

  /** The next event; `null` at the end. */
  async next(): Promise<ServerEvent | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end < 0) {
        const { done, value } = await this.#reader.read();
        if (done) return null;
        this.#text += this.#decoder.decode(value, { stream: true });
        continue;
      }
      const lines = this.#text.slice(0, end).split("\n");
      this.#text = this.#text.slice(end + 2);
      const member = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
      if (member("event") !== "") {
        return { id: member("id"), event: member("event"), data: member("data") };
      }
    }
  }

  /** The next event of a kind. */
  async nextOf(kind: string): Promise<ServerEvent> {
    for (;;) {
      const event = await this.next();
      if (event === null) throw new Error(`The stream ended before ${kind}`);
      if (event.event === kind) return event;
    }
  }

  async stop(): Promise<void> {
    await this.#reader.cancel();
  }
}
