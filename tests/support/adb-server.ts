import { connect, createServer, type Server, type Socket } from "node:net";

// The part of adb's server that its real client uses (AOSP, adb/OVERVIEW.TXT, SERVICES.TXT and
// shell_service.h): a request is its length in four hexadecimal digits and its text; OKAY or FAIL
// answers. `shell,v2` sends packets: kind (1: 1 standard output, 2 standard error, 3 exit), length
// (4, little endian), data; `exec` and the older `shell` send both outputs unframed.

/** The output and the end of a program on a phone. */
export interface PhoneOutput {
  readonly stdout?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly stderr?: string;
  /** Default 0. */
  readonly code?: number;
}

/** A phone that adb's server knows. */
export interface FakePhone {
  readonly serial: string;
  /** `device`, `offline`, `unauthorized`, `no permissions (…)`, … */
  state: string;
  readonly model: string;
  /** False on an Android before 7, which reports no exit codes. */
  readonly hasShellV2?: boolean;
  /** Runs a line of its shell. */
  run(line: string): PhoneOutput | Promise<PhoneOutput>;
  /**
   * Returns the port of this machine that serves one of the phone's abstract sockets; `null` for an
   * unknown socket.
   */
  portOf?(socket: string): number | null;
}

/** A server of adb, on a port of its own. */
export interface AdbServer {
  /** Has the real client come here, and start no server of its own. */
  readonly env: Readonly<Record<string, string>>;
  /** Phones that are plugged in. */
  readonly phones: FakePhone[];
  /** All requests, in the order of arrival. */
  readonly requests: readonly string[];
  /** Ports that are forwarded now, each to a socket of a phone. */
  readonly forwards: ReadonlyMap<number, string>;
  /**
   * How requests are answered from this point: `false` accepts them and stays silent, `garbage`
   * answers with bytes outside the protocol.
   */
  answers: boolean | "garbage";
  /** Unplugs a phone: every connection over it breaks. */
  unplug(phone: FakePhone): void;
  close(): Promise<void>;
}

/** The protocol's version, the last number of `1.0.41`: a client of another kills the server. */
export const ADB_PROTOCOL = 41;
const [STDOUT, STDERR, EXIT] = [1, 2, 3];

export async function startAdbServer(...phones: FakePhone[]): Promise<AdbServer> {
  const state = new ServerState(phones);
  const server = createServer((socket) => state.serve(socket));
  const port = await listening(server);
  return Object.assign(state, {
    env: { ADB_SERVER_SOCKET: `tcp:127.0.0.1:${port}` },
    close: () => state.end(server),
  });
}

class ServerState {
  readonly phones: FakePhone[];
  readonly requests: string[] = [];
  readonly forwards = new Map<number, string>();
  answers: boolean | "garbage" = true;
  readonly #open = new Map<Socket, FakePhone | null>();
  readonly #forwarding = new Map<number, { readonly phone: FakePhone; readonly server: Server }>();

  constructor(phones: FakePhone[]) {
    this.phones = phones;
  }

  unplug(phone: FakePhone): void {
    this.phones.splice(this.phones.indexOf(phone), 1);
    for (const [socket, of] of this.#open) if (of === phone) socket.destroy();
    for (const [port, { phone: of }] of this.#forwarding) if (of === phone) this.#release(port);
  }

  async end(server: Server): Promise<void> {
    for (const port of this.#forwarding.keys()) this.#release(port);
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#open.keys()) socket.destroy();
    await closed;
  }

  /** Reads the requests of one connection: a transport is followed by the request that it is for. */
  serve(socket: Socket): void {
    this.#keep(socket, null);
    let text = "";
    let isRunning = false; // later bytes are the input of a program
    socket.on("data", (chunk) => {
      if (isRunning) return;
      text += chunk.toString("latin1");
      for (;;) {
        const length = parseInt(text.slice(0, 4), 16);
        if (!(text.length >= 4 + length) || isRunning) return;
        const request = text.slice(4, 4 + length);
        text = text.slice(4 + length);
        isRunning = /^(?:shell|exec)[,:]/.test(request);
        this.requests.push(request);
        if (this.answers === true) void this.#answer(socket, request).catch(() => socket.destroy());
        else if (this.answers === "garbage") socket.end("<!doctype html>");
      }
    });
  }

  #keep(socket: Socket, phone: FakePhone | null): void {
    this.#open.set(socket, phone);
    socket.on("close", () => this.#open.delete(socket));
    socket.on("error", () => socket.destroy());
  }

  async #answer(socket: Socket, request: string): Promise<void> {
    const ofSerial = /^host-serial:(.+?):(features|forward:.*|killforward:.*|get-state)$/.exec(
      request,
    );
    const [, kind, serial] = /^host:(tport:serial|transport):(.+)$/.exec(request) ?? [];
    if (serial !== undefined) {
      const phone = this.#phone(serial);
      if (typeof phone === "string") return fail(socket, phone);
      this.#open.set(socket, phone);
      // The newer request also gets the number of the transport, eight bytes.
      return void socket.write(kind === "transport" ? "OKAY" : "OKAY\x01\0\0\0\0\0\0\0");
    }
    if (ofSerial !== null) {
      const phone = this.#phone(ofSerial[1] ?? "");
      if (typeof phone === "string") return fail(socket, phone);
      this.#open.set(socket, phone);
      return await this.#answer(socket, `host:${ofSerial[2]}`);
    }
    const phone = this.#open.get(socket) ?? null;
    const [, local, remote = ""] = /^host:forward:tcp:(\d+);localabstract:(.+)$/.exec(request) ??
      [];
    const [, removed] = /^host:killforward:tcp:(\d+)$/.exec(request) ?? [];
    switch (true) {
      case request === "host:version":
        return void socket.end(`OKAY0004${ADB_PROTOCOL.toString(16).padStart(4, "0")}`);
      case request === "host:devices-l":
        return void socket.end(framed(this.#listed()));
      case request === "host:list-forward":
        return void socket.end(
          framed(
            [...this.forwards].map(([port, to]) =>
              `${this.#forwarding.get(port)?.phone.serial} tcp:${port} localabstract:${to}\n`
            ).join(""),
          ),
        );
      case phone !== null && request === "host:features":
        return void socket.end(framed(phone?.hasShellV2 === false ? "cmd" : "shell_v2,cmd"));
      case phone !== null && local !== undefined:
        return void socket.end(`OKAYOKAY${counted(String(await this.#forward(phone, remote)))}`);
      case removed !== undefined:
        return this.#release(Number(removed))
          ? void socket.end("OKAYOKAY")
          : (socket.write("OKAY"), fail(socket, `listener 'tcp:${removed}' not found`));
      case phone !== null && /^(?:shell|exec)[,:]/.test(request):
        return await run(socket, phone, request);
      default:
        return fail(socket, `unknown host service: ${request}`);
    }
  }

  #phone(serial: string): FakePhone | string {
    const phone = this.phones.find((one) => one.serial === serial);
    if (phone === undefined) return `device '${serial}' not found`;
    switch (phone.state.split(" ")[0]) {
      case "device":
        return phone;
      case "unauthorized":
        return "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set";
      default:
        return `device ${phone.state}`;
    }
  }

  #listed(): string {
    return this.phones.map(({ serial, state, model }, index) => {
      const known = state === "device" ? ` product:fake model:${model} device:fake` : "";
      return `${serial.padEnd(22)} ${state} usb:1-${index + 1}${known} transport_id:${index + 1}\n`;
    }).join("");
  }

  /** Opens a port of this machine whose connections lead to the server behind the socket. */
  async #forward(phone: FakePhone, to: string): Promise<number> {
    const server = createServer((from) => {
      this.#keep(from, phone);
      const port = phone.portOf?.(to) ?? null;
      if (port === null) return from.destroy(); // as adb does when no program listens on the phone
      const onward = connect(port, "127.0.0.1");
      this.#keep(onward, phone);
      from.pipe(onward).pipe(from);
      from.on("close", () => onward.destroy());
      onward.on("close", () => from.destroy());
    });
    const port = await listening(server);
    this.forwards.set(port, to);
    this.#forwarding.set(port, { phone, server });
    return port;
  }

  #release(port: number): boolean {
    this.#forwarding.get(port)?.server.close();
    this.#forwarding.delete(port);
    return this.forwards.delete(port);
  }
}

async function run(socket: Socket, phone: FakePhone | null, request: string): Promise<void> {
  const [service = ""] = request.split(":", 1);
  const line = request.slice(service.length + 1);
  socket.write("OKAY");
  const { stdout = "", stderr = "", code = 0 } = await phone?.run(line) ?? {};
  const isPackets = service.startsWith("shell,v2");
  const send = (kind: number, data: Uint8Array) => {
    const head = Buffer.from([kind, 0, 0, 0, 0]);
    head.writeUInt32LE(data.length, 1);
    const sent = socket.write(isPackets ? Buffer.concat([head, data]) : data);
    if (sent || socket.destroyed) return Promise.resolve();
    return new Promise<void>((resolve) => {
      const goOn = () => {
        socket.off("drain", goOn).off("close", goOn);
        resolve();
      };
      socket.on("drain", goOn).on("close", goOn);
    });
  };
  if (stderr !== "") await send(STDERR, Buffer.from(stderr));
  const isWhole = typeof stdout === "string" || stdout instanceof Uint8Array;
  for await (const chunk of isWhole ? [Buffer.from(stdout)] : stdout) {
    if (socket.destroyed) return;
    if (chunk.length > 0) await send(STDOUT, chunk);
  }
  if (isPackets) await send(EXIT, Uint8Array.of(code));
  socket.end();
}

function counted(text: string): string {
  return Buffer.byteLength(text).toString(16).padStart(4, "0") + text;
}

function framed(text: string): string {
  return `OKAY${counted(text)}`;
}

function fail(socket: Socket, why: string): void {
  socket.end(`FAIL${counted(why)}`);
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
