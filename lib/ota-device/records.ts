import { parseJson } from "../core/json-text.ts";
import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { jsonErrorIn } from "../core/json-grammar.ts";
import {
  type LockDependencies,
  type LockFiles,
  type LockOwner,
  withLock,
} from "../core/file-lock.ts";
import { FileError } from "../core/file-error.ts";
import { isRecord, own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { isBundleName, isVersion } from "../core/paths.ts";
import type { BootState } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import { parseBootState } from "./boot.ts";
import { guardPath, launchPath, lockPath, makeRoot, statePath } from "./folders.ts";

// The three small files of the device. A missing or damaged one reads as empty, because a launch
// must survive any disk. A file that exists but cannot be read throws: it must not be overwritten
// (DEV-10). Writing is durable or throws.

/**
 * The largest record, in bytes; a longer one would read as damaged, so it is never written
 * (DEV-33).
 */
const MAX_BYTES = 1024 * 1024;

/** `guard.json`: written before `state.json`, so that quarantine and accepted sequence outlive it (DEV-5). */
export interface Guard {
  readonly rejected: Readonly<Record<string, readonly string[]>>;
  /** The highest accepted sequence by `<app>/<channel>`. */
  readonly sequence: Readonly<Record<string, number>>;
}

/** The record of one launch. */
export interface LaunchRecord {
  /** `v<N>` or `embedded`. */
  readonly version: string;
  /** The confirmation must repeat it; empty for a launch that cannot be confirmed. */
  readonly token: string;
  /** The attempt of this launch: a launch whose attempt is not in the state never counts. */
  readonly attempt: number;
  /** Whether this launch was confirmed before. */
  readonly counted: boolean;
  /** Whether only the folders of its version were checked, and its files not yet (DEV-62). */
  readonly byFolders?: boolean;
  /** Launches of this version since its files were hashed; absent when they were not (DEV-26). */
  readonly sinceVerified?: number;
  /** The process of a launch that may be a strike: the system reports how it ended (DEV-50). */
  readonly pid?: number;
  /** Launches in a row before it that were not strikes, because the user ended them (DEV-55). */
  readonly forgiven?: number;
  /** Whether it puts its version back on trial, once the state says so too (DEV-51). */
  readonly retrial?: boolean;
}

/** `launch.json`. */
export interface LaunchLog {
  /** By bundle. */
  readonly launches: Readonly<Record<string, LaunchRecord>>;
  /** The version that was active before the active one, by bundle. */
  readonly previous: Readonly<Record<string, string>>;
  /**
   * Launches in a row of the active version that were not confirmed before the next one, by bundle;
   * a bundle that does not go back on trial has no entry (DEV-50).
   */
  readonly strikes: Readonly<Record<string, number>>;
  /** The version that was activated last and is mandatory, by bundle (NAT-8). */
  readonly mandatory: Readonly<Record<string, string>>;
}

/** The files under one root. */
export interface Records {
  /** `null` when there is no usable state. */
  readState(): Promise<BootState | null>;
  readGuard(): Promise<Guard>;
  readLaunches(): Promise<LaunchLog>;
  /**
   * Runs a change of records, from its first read to its last write, while no other process makes
   * any (DEV-25). Must not be nested or run twice at the same time.
   *
   * @param waitMs The longest wait for other processes. Default 60 s.
   * @throws {FileError} `busy` if they take longer, or took the lock away.
   */
  change<T>(work: (writer: RecordWriter) => Promise<T>, waitMs?: number): Promise<T>;
  /**
   * Makes durable what reads return: a killed process, or a write whose last sync failed, may have
   * left names that a power cut undoes. Call it before answering from what was read (DEV-9).
   */
  ensureDurable(): Promise<void>;
}

/** Writes records, each atomically. */
export interface RecordWriter {
  writeState(state: BootState): Promise<void>;
  writeGuard(guard: Guard): Promise<void>;
  writeLaunches(log: LaunchLog): Promise<void>;
}

/** The parts of a device that records depend on. */
export interface RecordDependencies extends Pick<LockDependencies, "clock"> {
  readonly files: Files;
  readonly root: string;
  /** Names the next owner of the lock. */
  readonly nextOwner?: () => LockOwner;
  /** Removes unneeded files until the given check answers `true`. */
  readonly makeRoom?: (fits: () => Promise<boolean>) => Promise<void>;
}

/** Opens the records of a device. */
export function openRecords(
  { files, root, clock, nextOwner, makeRoom = () => Promise.resolve() }: RecordDependencies,
): Records {
  let isDurable = false;
  let isHeld = false;
  /** DEV-24: counting attempts is worth more than any unneeded version. */
  const withRoom = async (write: () => Promise<unknown>) => {
    try {
      await write();
    } catch (thrown) {
      if (!isFull(thrown)) throw thrown;
      let isWritten = false;
      await makeRoom(() => write().then(() => isWritten = true, (again) => !isFull(again)));
      if (!isWritten) await write();
    }
  };
  const lockFiles: LockFiles = {
    read: (path, maxBytes) => files.read(path, maxBytes),
    remove: (path) => files.remove(path),
    async write(path, body, options) {
      try {
        await withRoom(() => files.write(path, body, options));
      } catch (thrown) {
        isDurable = false; // another process is at work, and may be killed before it syncs
        throw thrown;
      }
    },
  };
  const writerOf = (stillHeld: () => Promise<boolean>): RecordWriter => {
    const write = (path: string, value: object) =>
      withRoom(async () => {
        if (!await stillHeld()) {
          throw new FileError("busy", path, `${path} is being changed by another process`);
        }
        const bytes = encodeUtf8(`${JSON.stringify(value)}\n`);
        if (bytes.length > MAX_BYTES) {
          const found = `it would have ${bytes.length} bytes, expected at most ${MAX_BYTES}`;
          throw new FileError("too-large", path, `Cannot write ${path}: ${found}`);
        }
        isDurable = false;
        await files.writeAtomic(path, bytes);
        isDurable = true; // the sync of the folder also covered earlier names
      });
    return {
      writeState: (state) => write(statePath(root), state),
      writeGuard: (guard) => write(guardPath(root), { schema: 1, ...guard }),
      writeLaunches: ({ strikes, mandatory, ...log }) =>
        write(launchPath(root), {
          schema: 1,
          ...log,
          ...(Object.keys(strikes).length > 0 && { strikes }),
          ...(Object.keys(mandatory).length > 0 && { mandatory }),
        }),
    };
  };
  return {
    readState: async () => parseBootState(await readJson(files, statePath(root))),
    readGuard: async () => parseGuard(await readJson(files, guardPath(root))),
    readLaunches: async () => parseLaunches(await readJson(files, launchPath(root))),
    async change(work, timeoutMs) {
      if (!isDurable || await files.stat(root) === null) await makeRoot(files, root);
      const lock = {
        files: lockFiles,
        clock,
        ...(nextOwner && { owner: nextOwner() }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      };
      return await withLock(lock, lockPath(root), async (stillHeld) => {
        isHeld = true;
        try {
          return await work(writerOf(stillHeld));
        } finally {
          isHeld = false;
        }
      });
    },
    async ensureDurable() {
      if (await files.stat(root) === null) return;
      // A lock of another process: it may be killed between a rename and its sync.
      if (isDurable && (isHeld || await files.stat(lockPath(root)) === null)) return;
      await makeRoot(files, root);
      await files.sync(root);
      isDurable = true;
    },
  };
}

function isFull(thrown: unknown): boolean {
  return thrown instanceof FileError && thrown.code === "full";
}

/** Reads a record; `null` if it is missing or damaged. */
async function readJson(files: Files, path: string): Promise<unknown> {
  try {
    const bytes = await files.read(path, MAX_BYTES);
    const value = parseJson(bytes);
    // DEV-58: a text that another language cannot read counts as damaged here, too.
    return bytes === null || jsonErrorIn(decodeUtf8(bytes) ?? "") === null ? value : null;
  } catch (thrown) {
    // Too large for a record, or something else in its place: that will not pass.
    const damaged = thrown instanceof FileError &&
      ["too-large", "is-a-directory", "not-a-file"].includes(thrown.code);
    if (damaged) return null;
    throw thrown;
  }
}

function parseGuard(value: unknown): Guard {
  const { rejected, sequence } = isRecord(value) ? value : {};
  const lists: Record<string, readonly string[]> = {};
  for (const [bundle, list] of entries(rejected)) {
    if (!isBundleName(bundle) || !Array.isArray(list)) continue;
    lists[bundle] = list.filter((version) => typeof version === "string" && isVersion(version));
  }
  return { rejected: lists, sequence: parseCounts(sequence) };
}

function parseCounts(value: unknown): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [key, count] of entries(value)) {
    if (isCount(count)) counts[key] = count;
  }
  return counts;
}

function parseLaunches(value: unknown): LaunchLog {
  const { launches, previous, strikes, mandatory } = isRecord(value) ? value : {};
  const records: Record<string, LaunchRecord> = {};
  for (const [bundle, record] of entries(launches)) {
    if (!isRecord(record)) continue;
    const { version, token, attempt, counted, byFolders } = record;
    const { sinceVerified, pid, forgiven, retrial } = record;
    if (typeof version !== "string" || typeof token !== "string") continue;
    if (typeof attempt !== "number") continue;
    records[bundle] = {
      version,
      token,
      attempt,
      counted: counted !== false,
      ...(byFolders === true && { byFolders }),
      ...(isCount(sinceVerified) && { sinceVerified }),
      ...(isCount(pid) && { pid }),
      ...(isCount(forgiven) && { forgiven }),
      ...(retrial === true && { retrial }),
    };
  }
  return {
    launches: records,
    previous: parseVersions(previous),
    strikes: parseCounts(strikes),
    mandatory: parseVersions(mandatory),
  };
}

function parseVersions(value: unknown): Readonly<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const [bundle, version] of entries(value)) {
    if (typeof version === "string" && isVersion(version)) versions[bundle] = version;
  }
  return versions;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function entries(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

/** Notes the mandatory version of a bundle, or that it has none, if the log differs (NAT-8). */
export async function noteMandatory(
  records: Pick<Records, "readLaunches">,
  writer: RecordWriter,
  { name, version }: { readonly name: string; readonly version?: string },
): Promise<void> {
  const read = records.readLaunches();
  // An unreadable log is not a reason to stay on a version, so it is ignored if nothing is to be
  // noted.
  const log = await (version === undefined ? read.catch(() => null) : read);
  if (log === null || own(log.mandatory, name) === version) return;
  const { [name]: _before, ...others } = log.mandatory;
  const mandatory = version === undefined ? others : { ...others, [name]: version };
  await writer.writeLaunches({ ...log, mandatory });
}

/** Adds a state's quarantined versions to the guard. @returns `null` if the guard had them all. */
export function guardRejected(guard: Guard, state: BootState | null): Guard | null {
  const rejected: Record<string, readonly string[]> = { ...guard.rejected };
  let grown = false;
  for (const [bundle, versions] of Object.entries(state?.rejected ?? {})) {
    const known = own(rejected, bundle) ?? [];
    const names = new Set(known); // a garbage record may hold a hundred thousand
    const added = versions.filter((version) => !names.has(version));
    if (added.length === 0) continue;
    rejected[bundle] = [...known, ...added].slice(-LIMITS.rejectedVersions);
    grown = true;
  }
  return grown ? { ...guard, rejected } : null;
}
