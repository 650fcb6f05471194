import { type Failure, messageOf, ok, type Result } from "../../lib/core/result.ts";
import type { Peer, PeerUser } from "../../lib/ports/peer.ts";
import {
  bareHostname,
  type Handler,
  plainAnswer,
  serveFailure,
  type ServeFailureCode,
  type ServeOptions,
  type Server,
  serverUrl,
} from "../node/listening.ts";
import { createPeerLookup, type Ends, type PeerLookup } from "../node/peers.ts";
import { createUpgrades } from "./upgrades.ts";

export type { Handler, ServeFailureCode, ServeOptions, Server } from "../node/listening.ts";

/**
 * Serves HTTP on one address, with Deno's own server. That takes 64 KiB of headers, says nothing to who
 * sends more, and ends no connection that is idle or sends its headers slowly.
 *
 * @returns `port-in-use`, `address-not-available`, `denied` or `other`.
 */
export function serve(
  handler: Handler,
  options: ServeOptions,
): Promise<Result<Server, Failure<ServeFailureCode>>> {
  const hostname = bareHostname(options.hostname);
  const stop = new AbortController();
  const peerOf = createPeers();
  const upgrades = createUpgrades();
  const listen = (port: number): Deno.HttpServer<Deno.NetAddr> => {
    const server: Deno.HttpServer<Deno.NetAddr> = Deno.serve({
      hostname,
      port,
      signal: stop.signal,
      onListen: () => {}, // whoever serves says so in its own words
      onError(thrown) {
        console.error(thrown); // a handler that throws is a bug, and must not be a silent one
        return plainAnswer(500);
      },
    }, (request, { remoteAddr }) => {
      // Deno passes on a Host that no URL can hold.
      if (!URL.canParse(request.url)) return plainAnswer(400);
      const peer = peerOf({ remote: endOf(remoteAddr), local: endOf(server.addr) });
      const upgrade = upgrades.of(request);
      return handler(request, upgrade === undefined ? peer : { ...peer, upgrade });
    });
    return server;
  };
  try {
    const server = listen(options.port);
    const { port } = server.addr;
    const finished = untilStopped(server, () => listen(port), stop.signal);
    return Promise.resolve(ok({
      url: serverUrl({ hostname, port }),
      port,
      async close() {
        upgrades.end();
        stop.abort(); // ends open connections; shutdown() would wait for event streams
        await finished;
      },
    }));
  } catch (thrown) {
    return Promise.resolve(serveFailure(withErrno(thrown), options));
  }
}

/** How long it is waited before listening again, in milliseconds. */
const LISTEN_AGAIN_MS = 100;

/**
 * Waits for the end of a server that is stopped. One that ended by itself is begun again: Deno stops
 * listening for good at a connection for which no descriptor is left, and any caller may open many.
 */
async function untilStopped(
  server: Deno.HttpServer,
  again: () => Deno.HttpServer,
  stopped: AbortSignal,
): Promise<void> {
  let listening: Deno.HttpServer | null = server;
  while (true) {
    await listening?.finished.catch((thrown: unknown) =>
      console.error(`warning: listening again: ${messageOf(thrown)}`)
    );
    if (stopped.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, LISTEN_AGAIN_MS));
    if (stopped.aborted) return;
    try {
      listening = again();
    } catch {
      listening = null; // still none left
    }
  }
}

/** Deno's errors under the codes that Node has. */
function withErrno(thrown: unknown): unknown {
  const errno = errnoOf(thrown);
  return errno === null ? thrown : Object.assign(new Error(String(thrown)), { code: errno });
}

function errnoOf(thrown: unknown): string | null {
  if (thrown instanceof Deno.errors.AddrInUse) return "EADDRINUSE";
  if (thrown instanceof Deno.errors.AddrNotAvailable) return "EADDRNOTAVAIL";
  if (thrown instanceof Deno.errors.PermissionDenied) return "EACCES";
  if (!(thrown instanceof Error)) return null;
  // These two have no class of their own.
  if (/invalid port/i.test(thrown.message)) return "ERR_SOCKET_BAD_PORT";
  return /lookup address/i.test(thrown.message) ? "ENOTFOUND" : null;
}

type End = Ends["remote"];

function endOf({ hostname, port }: Deno.NetAddr): End {
  return { address: hostname, port };
}

/** Connections whose user is remembered; of one more, the first is looked up again. */
const MAX_REMEMBERED = 1_024;

/** Whose a connection is, and how to see that it is still open. */
interface Connection {
  readonly user: PeerUser;
  /** Our end of it: the path of its descriptor, and the socket that this leads to. */
  readonly end: { readonly path: string; readonly socket: string } | null;
}

/**
 * The other ends of connections. Deno does not tell which requests share one, and the port of a
 * caller may be another user's at once. So what is remembered counts while our own end is open; the
 * table costs up to milliseconds to read.
 */
function createPeers(): (ends: Ends) => Peer {
  const seen = new Map<string, Promise<Connection>>();
  const lookUp = createPeerLookup();
  return (ends) => ({
    address: ends.remote.address,
    async user() {
      const { address, port } = ends.remote;
      const key = `${address} ${port}`;
      const known = await seen.get(key);
      if (known !== undefined && isOpen(known)) return known.user;
      const [first] = seen.keys();
      if (first !== undefined && seen.size >= MAX_REMEMBERED) seen.delete(first);
      const asked = ask(ends, lookUp);
      seen.set(key, asked);
      return (await asked).user;
    },
  });
}

async function ask(ends: Ends, lookUp: PeerLookup): Promise<Connection> {
  const { user, inode } = await lookUp(ends);
  return { user, end: inode === undefined ? null : descriptorOf(`socket:[${inode}]`) };
}

/** The descriptor of this process that leads to a socket (proc(5)); `null` where it is not found. */
function descriptorOf(socket: string): Connection["end"] {
  const folder = "/proc/self/fd";
  try {
    const names = Array.from(Deno.readDirSync(folder), ({ name }) => `${folder}/${name}`);
    const path = names.find((name) => leadsTo(name, socket));
    return path === undefined ? null : { path, socket };
  } catch {
    return null; // nothing left to open the folder with
  }
}

function isOpen({ end }: Connection): boolean {
  return end !== null && leadsTo(end.path, end.socket);
}

function leadsTo(path: string, target: string): boolean {
  try {
    return Deno.readLinkSync(path) === target;
  } catch {
    return false; // closed since
  }
}
