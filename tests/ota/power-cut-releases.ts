import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RELEASE_PATH } from "../../lib/ota-format/layout.ts";
import { embedManifest } from "../../lib/ota-publish/embed.ts";
import type { Hashing } from "../../lib/ports/hashing.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { manyFiles } from "./many-files.ts";
import { openOtaWorld, type Tree } from "../support/ota-world.ts";
import type { Disk, DiskNode, FileNode } from "../support/power-cut-disk.ts";
import { createPowerCutFiles } from "../support/power-cut-files.ts";

/** Where the device lies; only the first folder is there when it starts. */
export const ROOT = "/data/app/ota";
/** Where the bundle in the app binary lies. */
export const EMBEDDED_FOLDER = "/binary/game";
/** The bundle. */
export const NAME = "shell";
/** Whom the releases are for. */
export const TARGET = { app: "default", channel: "production" } as const;

const V1: Tree = { "index.html": "one", "game.js": "play()", "art/deep/a.bin": "a".repeat(900) };
const MOVED: Tree = { "art/moved.bin": "a".repeat(900), "art/new.bin": "new", "game.js": "play()" };
/** What is published, oldest first. */
const VERSIONS: Readonly<Record<string, Tree>> = {
  v1: V1,
  v2: { ...V1, ...MOVED, "index.html": "two" },
  v3: { ...V1, ...MOVED, "index.html": "three" },
  v4: { ...V1, ...MOVED, "index.html": "four" },
  v5: manyFiles("five"),
};

/** Releases that were published for real, kept in memory. */
export interface Published {
  readonly publicKey: string;
  readonly hashing: Hashing;
  /** `release.json` as it was when that version was the newest. */
  readonly releases: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** All else in the bucket, by path. */
  readonly bucket: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** The bundle in the app binary with its manifest: the content of v1. */
  readonly embedded: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** Publishes {@linkcode VERSIONS} into a bucket, and keeps what a CDN would serve. */
export async function publishVersions(): Promise<Published> {
  let published: Published | undefined;
  await withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const releases = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const [version, tree] of Object.entries(VERSIONS)) {
      const report = await world.publish(version, tree);
      assert.ok(report.ok, JSON.stringify(report));
      releases.set(version, Uint8Array.from(readFileSync(join(folder, "bucket", RELEASE_PATH))));
    }
    const binary = join(folder, "binary");
    mkdirSync(binary);
    writeTree(binary, V1);
    const embed = { dist: binary, name: NAME, engineApi: 1, target: TARGET, sequence: 0 };
    assert.ok((await embedManifest(world.runtime, embed)).ok);
    published = {
      publicKey: world.key.publicKey,
      hashing: world.runtime.hashing,
      releases,
      bucket: readFolder(join(folder, "bucket")),
      embedded: readFolder(binary),
    };
  });
  assert.ok(published);
  return published;
}

function readFolder(folder: string): Map<string, Uint8Array<ArrayBuffer>> {
  const found = new Map<string, Uint8Array<ArrayBuffer>>();
  const walk = (prefix: string) => {
    for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory()) walk(`${path}/`);
      else found.set(path, Uint8Array.from(readFileSync(join(folder, path))));
    }
  };
  walk("");
  return found;
}

/** Puts the app binary's bundle on a disk. */
export async function installBinary(published: Published, disk: Disk): Promise<void> {
  const { files } = createPowerCutFiles(disk);
  for (const [path, bytes] of published.embedded) {
    const target = `${EMBEDDED_FOLDER}/${path}`;
    await files.makeDirectory(target.slice(0, target.lastIndexOf("/")));
    await files.write(target, bytes);
  }
}

/** Whether a version's folder holds its files and nothing else. */
export function assertWhole(disk: Disk, version: string): void {
  const expected = VERSIONS[version];
  assert.ok(expected, `${version} was never published`);
  assert.deepEqual(treeOf(disk, `${ROOT}/${NAME}/${version}`), expected, version);
}

/** The files below a folder as texts, by path; none where there is no such folder. */
export function treeOf(disk: Disk, folder: string): Record<string, string> {
  const node = nodeAt(disk, folder);
  const tree: Record<string, string> = {};
  const walk = (at: DiskNode, path: string) => {
    if (at.kind === "file") tree[path] = TEXT.decode(at.bytes);
    else for (const [name, next] of at.names) walk(next, path === "" ? name : `${path}/${name}`);
  };
  if (node !== undefined) walk(node, "");
  return tree;
}

/** Disk space of all files below a folder; a file with several names counts once. */
export function bytesBelow(disk: Disk, folder: string): number {
  const files = new Set<FileNode>();
  const walk = (at: DiskNode) => {
    if (at.kind === "file") files.add(at);
    else for (const next of at.names.values()) walk(next);
  };
  const node = nodeAt(disk, folder);
  if (node !== undefined) walk(node);
  return [...files].reduce((total, { bytes }) => total + bytes.length, 0);
}

function nodeAt(disk: Disk, path: string): DiskNode | undefined {
  let node: DiskNode | undefined = disk.root;
  for (const name of path.split("/").slice(1)) {
    node = node?.kind === "directory" ? node.names.get(name) : undefined;
  }
  return node;
}

const TEXT = new TextDecoder();
