import type { Random } from "./random.ts";

// A POSIX disk, reduced to what a power cut affects. Programs see `bytes` and `names`; `durable`
// holds what was synced. Changes of names wait in their order, and any of them may reach the disk
// early, provided that the history of each name and of each file stays in order.

/** A file: the bytes that programs read, and those that the disk surely holds. */
export interface FileNode {
  readonly kind: "file";
  bytes: Uint8Array;
  /** `null` until the first sync. */
  durable: Uint8Array | null;
  mode: number;
}

/** A folder: the names that programs see, and those that the disk surely holds. */
export interface FolderNode {
  readonly kind: "directory";
  readonly names: Map<string, DiskNode>;
  readonly durable: Map<string, DiskNode>;
  mode: number;
}

/** The node behind a name. */
export type DiskNode = FileNode | FolderNode;

/**
 * When nodes were created, and folders last changed, by the disk's own clock: a tick per change of
 * names.
 */
const changes = new WeakMap<DiskNode, number>();
let ticks = 0;

/** Returns when a file was created, or a name in a folder last changed, in milliseconds. */
export function changedAt(node: DiskNode): number {
  return changes.get(node) ?? 0;
}

/** One name that is set to a node, or removed. */
export interface NameSet {
  readonly folder: FolderNode;
  readonly name: string;
  readonly node: DiskNode | null;
}

/** Names that change atomically: a rename is two. */
interface NameChange {
  readonly node: DiskNode;
  readonly sets: readonly NameSet[];
}

/** The outcome of a power cut. */
export interface Survival {
  /** Its name in test titles. */
  readonly name: string;
  /** Whether a change of names that was not synced survives. */
  readonly keepsNames: () => boolean;
  /** Returns the surviving bytes of a file that was not synced. */
  readonly bytesOf: (file: FileNode) => Uint8Array;
}

const EMPTY = new Uint8Array();

/** The harshest outcome: only synced data survives. */
export const NOTHING: Survival = {
  name: "nothing unsynced survived",
  keepsNames: () => false,
  bytesOf: syncedBytes,
};

/** The mildest outcome: a killed process, or a fast disk. */
export const EVERYTHING: Survival = {
  name: "everything survived",
  keepsNames: () => true,
  bytesOf: ({ bytes }) => bytes,
};

/** The outcomes that are always tried. */
export const SURVIVALS: readonly Survival[] = [
  NOTHING,
  EVERYTHING,
  { name: "names survived, bytes are missing", keepsNames: () => true, bytesOf: () => EMPTY },
  { name: "names survived, bytes are garbage", keepsNames: () => true, bytesOf: garbage },
  { name: "bytes survived, names did not", keepsNames: () => false, bytesOf: ({ bytes }) => bytes },
];

/** An outcome that is drawn name by name and file by file. */
export function randomSurvival(random: Random): Survival {
  const bytes = [syncedBytes, (file: FileNode) => file.bytes, () => EMPTY, garbage, torn] as const;
  return {
    name: "a random part survived",
    keepsNames: () => random.next() < 0.5,
    bytesOf: (file) => (bytes[random.below(bytes.length)] ?? garbage)(file),
  };

  function torn(file: FileNode): Uint8Array {
    return file.bytes.slice(0, random.below(file.bytes.length + 1));
  }
}

function syncedBytes({ durable }: FileNode): Uint8Array {
  return durable ?? EMPTY;
}

function garbage({ bytes }: FileNode): Uint8Array {
  return new Uint8Array(bytes.length).fill(0xa5);
}

/** Makes a folder without names. */
export function emptyFolder(): FolderNode {
  return { kind: "directory", names: new Map(), durable: new Map(), mode: 0o755 };
}

/** A tree of files and folders, with the changes that have not reached the disk. */
export class Disk {
  readonly root: FolderNode;
  #waiting: NameChange[] = [];

  constructor(root: FolderNode = emptyFolder()) {
    this.root = root;
  }

  /** Changes names atomically; durable once the folder of the first of them is synced. */
  change(node: DiskNode, ...sets: NameSet[]): void {
    const now = ++ticks;
    if (!changes.has(node)) changes.set(node, now);
    for (const set of sets) {
      apply(set, set.folder.names);
      changes.set(set.folder, now);
    }
    this.#waiting.push({ node, sets });
  }

  /** Makes the bytes of a file, or the names in a folder, durable. */
  sync(node: DiskNode): void {
    if (node.kind === "file") {
      node.durable = node.bytes;
      return;
    }
    const due = new Set<NameChange>();
    for (const change of [...this.#waiting].reverse()) {
      if (change.sets[0]?.folder === node || [...due].some((later) => dependsOn(later, change))) {
        due.add(change);
      }
    }
    for (const change of this.#waiting) {
      if (due.has(change)) { for (const set of change.sets) apply(set, set.folder.durable); }
    }
    this.#waiting = this.#waiting.filter((change) => !due.has(change));
  }

  /** The disk as it is found when the power is back. This one stays as it is. */
  afterPowerCut({ keepsNames, bytesOf }: Survival): Disk {
    const kept: NameChange[] = [];
    const lost: NameChange[] = [];
    for (const change of this.#waiting) {
      const complete = !lost.some((earlier) => dependsOn(change, earlier));
      (complete && keepsNames() ? kept : lost).push(change);
    }
    const found = new Map<FolderNode, Map<string, DiskNode>>();
    const namesOf = (folder: FolderNode) => {
      const names = found.get(folder) ?? new Map(folder.durable);
      found.set(folder, names);
      return names;
    };
    for (const { sets } of kept) {
      for (const set of sets) apply(set, namesOf(set.folder));
    }
    return new Disk(copyFolder(this.root, {
      namesOf,
      bytesOf: (file) => file.durable === file.bytes ? file.bytes : bytesOf(file),
    }));
  }

  /** A disk of its own on which everything is durable, as after a clean shutdown. */
  shutDown(): Disk {
    const namesOf = (folder: FolderNode) => folder.names;
    return new Disk(copyFolder(this.root, { namesOf, bytesOf: ({ bytes }) => bytes }));
  }
}

/** Tells whether a change needs an earlier one: of the same name, or of the same file. */
function dependsOn(later: NameChange, earlier: NameChange): boolean {
  return later.node === earlier.node ||
    later.sets.some((a) => earlier.sets.some((b) => a.folder === b.folder && a.name === b.name));
}

function apply({ name, node }: NameSet, names: Map<string, DiskNode>): void {
  if (node === null) names.delete(name);
  else names.set(name, node);
}

function copyFolder(
  folder: FolderNode,
  by: {
    readonly namesOf: (folder: FolderNode) => ReadonlyMap<string, DiskNode>;
    readonly bytesOf: (file: FileNode) => Uint8Array;
  },
): FolderNode {
  const copy = emptyFolder();
  copy.mode = folder.mode;
  for (const [name, node] of by.namesOf(folder)) {
    const twin = node.kind === "file" ? copyFile(node, by.bytesOf(node)) : copyFolder(node, by);
    changes.set(twin, changedAt(node));
    copy.names.set(name, twin);
    copy.durable.set(name, twin);
  }
  return copy;
}

function copyFile({ mode }: FileNode, bytes: Uint8Array): FileNode {
  return { kind: "file", bytes, durable: bytes, mode };
}
