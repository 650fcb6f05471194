import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import process from "node:process";
import { setImmediate, setTimeout } from "node:timers";
import { isLoopbackListener } from "../../lib/core/loopback.ts";
import type { PeerUser } from "../../lib/ports/peer.ts";

// Linux lists the user of every TCP socket in /proc/net/tcp and tcp6 (proc(5)): the socket of a
// loopback caller is in the same table, with local and remote exchanged.
//
//   sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …
//   0: 0100007F:C350 0100007F:128B 01 …                     1000 0     12345

/** The two ends of a connection, from this process's side. */
export interface Ends {
  /** Address and port of the caller. */
  readonly remote: { readonly address: string; readonly port: number };
  /** Address and port that it called. */
  readonly local: { readonly address: string; readonly port: number };
}

interface SocketLine {
  readonly local: string;
  readonly remote: string;
  readonly uid: number;
  /** `0` for a socket that no program holds any more; its `uid` is then meaningless. */
  readonly inode: string;
}

const LITTLE_ENDIAN = endianness() === "LE";
const ADMINISTRATOR = 0;
/** Addresses that a server may report in place of the called one. */
const WILDCARDS: readonly string[] = ["0.0.0.0", "::"];

/**
 * Identifies the other end of a loopback connection; `null` is one that has closed already. The tables
 * list the sockets of this machine only, so a caller from another machine is `unknown`.
 */
export type PeerLookup = (ends: Ends | null) => Promise<PeerUser>;

/** Reads one of the system's tables; throws if it is missing. */
type ReadTable = (path: string) => string;

/**
 * Creates the look-up of one service, which finds the user of the program at the other end. A
 * caller that has disconnected cannot be identified and counts as another user, since nobody waits
 * for that answer. So does every caller while the tables cannot be read for want of descriptors,
 * because a caller can cause that.
 */
export function createPeerLookup(
  // Synchronous: the system answers from memory, and a read over many turns would also wait for all
  // other callers.
  readTable: ReadTable = (path) => readFileSync(path, "latin1"),
): PeerLookup {
  const own = process.geteuid?.();
  const look = sharedInTurn(() => readSockets(readTable));
  return async (ends) => {
    if (own === undefined) return "unknown";
    try {
      return ends === null ? await look().then(() => "another") : await find(ends);
    } catch (thrown) {
      return isShortage(thrown) ? "another" : "unknown"; // not Linux, or the table is hidden
    }
  };

  async function find({ remote, local }: Ends): Promise<PeerUser> {
    if (!isLoopbackListener(remote.address)) return "unknown";
    const [isCallers, isOurs] = [endMatcher(remote), endMatcher(local)];
    if (isCallers === null || isOurs === null) return "unknown";
    // The system may leave lines out while sockets come and go, so one look does not prove absence.
    for (let looks = 0; looks < 3; looks++) {
      const lines = await look();
      const opened = lines.filter((line) =>
        line.inode !== "0" && isCallers(line.local) && isOurs(line.remote)
      );
      if (opened.length > 0) {
        const developer = opened.every(({ uid }) => uid === own || uid === ADMINISTRATOR);
        return developer ? "same" : "another";
      }
      // A table without our own socket is inconclusive.
      const tells = lines.some((line) => line.local.endsWith(`:${hexPort(local.port)}`));
      if (!tells) return "unknown";
    }
    return "another";
  }
}

/**
 * Shares one run at the end of a turn among all its callers, and the next run among those soon
 * after: each run reads the complete table. Runs take at most half of the time.
 */
function sharedInTurn<T>(run: () => T): () => Promise<T> {
  let next: Promise<T> | null = null;
  let from = 0;
  const wait = () =>
    new Promise<void>((resolve) => {
      const rest = from - performance.now();
      if (rest > 0) setTimeout(resolve, rest);
      else setImmediate(resolve);
    });
  return () =>
    next ??= wait().then(() => {
      next = null;
      const begun = performance.now();
      try {
        return run();
      } finally {
        const ended = performance.now();
        from = ended + (ended - begun);
      }
    });
}

function readSockets(readTable: ReadTable): readonly SocketLine[] {
  const tables = [readTable("/proc/net/tcp"), readTable6(readTable)];
  return tables.flatMap((table) => table.split("\n").slice(1)).flatMap((line) => {
    const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/);
    return local === undefined || remote === undefined || inode === undefined
      ? []
      : [{ local, remote, uid: Number(uid), inode }];
  });
}

/** Returns the table of IPv6; empty on a system without it. */
function readTable6(readTable: ReadTable): string {
  try {
    return readTable("/proc/net/tcp6");
  } catch (thrown) {
    if (isShortage(thrown)) throw thrown;
    return "";
  }
}

/** Returns whether the table exists but no descriptor is left to open it (errno(3)). */
function isShortage(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown &&
    ["EMFILE", "ENFILE", "ENOMEM"].includes(String(thrown.code));
}

/** Returns whether an end in a line of the tables is the expected one. */
type EndMatcher = (spelled: string) => boolean;

/**
 * @returns `null` for an address that is neither loopback nor a wildcard, or in an unusual
 * spelling.
 */
function endMatcher({ address, port }: Ends["local"]): EndMatcher | null {
  const suffix = `:${hexPort(port)}`;
  if (WILDCARDS.includes(address)) return (spelled) => spelled.endsWith(suffix);
  const spellings = isLoopbackListener(address) ? hexAddresses(address) : null;
  return spellings && ((spelled) => spellings.some((one) => spelled === `${one}${suffix}`));
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

/** A loopback address as the tables spell it: words of 32 bits in the order of the machine. */
function hexAddresses(address: string): readonly string[] | null {
  const v4 = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/i.exec(address)?.slice(1);
  if (v4 !== undefined) {
    const word = hexWord(v4.map(Number));
    return [word, `${hexWord([0, 0, 0, 0]).repeat(2)}${hexWord([0, 0, 255, 255])}${word}`];
  }
  return address === "::1" ? [`${hexWord([0, 0, 0, 0]).repeat(3)}${hexWord([0, 0, 0, 1])}`] : null;
}

function hexWord(bytes: readonly number[]): string {
  return (LITTLE_ENDIAN ? [...bytes].reverse() : bytes)
    .map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"))
    .join("");
}
