import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { withFolder } from "../support/folder.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import {
  archiveOf,
  FORMATS,
  GNU_TAR,
  type Item,
  tarOf,
  treeOf,
  unpackInto,
  UNZIP,
  ZIP,
} from "../support/archives.ts";
import { findProgram, type ProgramNeed, type Skip, withoutPosixFiles } from "../support/needs.ts";

// Random trees, random damage, other programs' archives, and a process that is killed.

const onDeno = "Deno" in globalThis;

/** Of programs that we are compared with: options of the user change what they do, locales the names. */
const PEER_ENV = {
  PATH: process.env["PATH"] ?? "",
  LC_ALL: "C.UTF-8",
  // Emptied by name: Deno's child processes get the variables of this one besides these.
  TAR_OPTIONS: "",
  ZIPOPT: "",
  UNZIP: "",
};

/** Tests that compare with other programs. */
function without(...needs: readonly ProgramNeed[]): Skip {
  return needs.reduce<Skip>(
    (skip, need) => skip || findProgram(need, PEER_ENV).skip,
    withoutPosixFiles,
  );
}

const PROGRAMS = {
  "tar.gz": { programs: ["tar"], unpack: ["tar", "xzf"], pack: 'tar czf "$1" .' },
  "zip": { programs: ["zip", "unzip"], unpack: ["unzip", "-q"], pack: 'zip -qry "$1" .' },
} as const;

const NAMES = ["a", "bin", "lib", "ü", "日本", "with space", "x".repeat(120), "-dash", "c.d"];

/** Some folders, files, and links that lead to them; no two alike. */
function randomItems(random: Random): Item[] {
  const items = new Map<string, Item>();
  const folders = [""];
  const pick = <T>(list: readonly T[], other: T): T => list[random.below(list.length)] ?? other;
  for (let i = 0; i < 25; i++) {
    const parent = pick(folders, "");
    const name = `${parent}${pick(NAMES, "a")}${random.below(4)}`;
    if (items.has(name) || items.has(`${name}/`)) continue;
    const kind = random.below(10);
    if (kind < 3) {
      items.set(`${name}/`, { name: `${name}/`, kind: "directory", mode: 0o755 });
      folders.push(`${name}/`);
    } else if (kind < 9) {
      const size = pick([0, 1, 511, 512, 513, 70_000, 600_000], 0);
      const repeats = random.below(2) === 0;
      const body = Uint8Array.from(
        { length: size },
        (_, at) => repeats ? at & 7 : random.below(256),
      );
      items.set(name, { name, body, mode: random.below(2) === 0 ? 0o755 : 0o644 });
    } else {
      const up = "../".repeat(name.split("/").length - 1);
      const to = pick([...items.keys()], "nowhere").replace(/\/$/, "");
      items.set(name, { name, kind: "symlink", target: `${up}${to}`, mode: 0o777 });
    }
  }
  items.set("end", { name: "end", body: "end" });
  return [...items.values()];
}

/** Puts the same on the disk by other means. */
function writeItems(folder: string, items: readonly Item[]): void {
  for (const { name, kind = "file", body = "", target = "", mode = 0o644 } of items) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (kind === "directory") mkdirSync(path, { recursive: true });
    else if (kind === "symlink") symlinkSync(target, path);
    else writeFileSync(path, body, { mode });
  }
}

test(
  "extract() of a random tree's tar and zip gives that tree, as tar and unzip do",
  { skip: without(GNU_TAR, ZIP, UNZIP) },
  async (t) => {
    const seed = runSeed();
    t.diagnostic(`seed ${seed}`);
    const random = seededRandom(seed);
    for (let round = 0; round < rounds(1, 200); round++) {
      const items = randomItems(random);
      await withFolder(async (folder) => {
        writeItems(join(folder, "wanted"), items);
        const expected = treeOf(join(folder, "wanted"));
        for (const format of FORMATS) {
          const { unpack: [program, how], pack } = PROGRAMS[format];
          const theirs = join(folder, `theirs.${format}`);
          execFileSync("sh", ["-c", pack, "sh", theirs], {
            cwd: join(folder, "wanted"),
            env: PEER_ENV,
          });
          const archives = [await archiveOf(format, items), readFileSync(theirs)];
          for (const [by, bytes] of archives.entries()) {
            const place = join(folder, `${format}-${by}`);
            mkdirSync(join(place, "peer"), { recursive: true });
            const result = await unpackInto(place, format, bytes);
            const where = `seed ${seed}, round ${round}, ${format} ${by}`;
            assert.ok(result.ok, `${where}: ${JSON.stringify(result)}`);
            assert.deepEqual(treeOf(join(place, "in")), expected, where);
            execFileSync(program, [how, `../tool.${format}`], {
              cwd: join(place, "peer"),
              env: PEER_ENV,
            });
            assert.deepEqual(treeOf(join(place, "peer")), expected, where);
          }
        }
      });
    }
  },
);

const noTar = without(GNU_TAR);
for (const style of ["gnu", "pax", "ustar"] as const) {
  test(
    `extract() of what tar writes as ${style} keeps long names and hard links`,
    { skip: noTar },
    () =>
      withFolder(async (folder) => {
        const source = join(folder, "source/top");
        const long = style === "ustar" ? `${"d".repeat(90)}/${"n".repeat(90)}` : "l/".repeat(90);
        mkdirSync(join(source, dirname(`${long}/x`)), { recursive: true });
        const file = join(source, long, "file");
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, "long");
        chmodSync(file, 0o755);
        linkSync(file, join(source, "z-hard"));
        if (style !== "ustar") symlinkSync(`${long}/file`, join(source, "z-link"));
        const archive = join(folder, "made.tar.gz");
        const args = ["-czf", archive, `--format=${style}`, "-C", join(folder, "source"), "top"];
        execFileSync("tar", args, { env: PEER_ENV });
        const result = await unpackInto(folder, "tar.gz", readFileSync(archive), { strip: 1 });
        assert.ok(result.ok, JSON.stringify(result));
        assert.deepEqual(treeOf(join(folder, "in")), treeOf(source));
      }),
  );
}

for (const format of FORMATS) {
  test(
    `extract() of a damaged ${format} writes inside, and ends`,
    { skip: withoutPosixFiles },
    async (t) => {
      const seed = runSeed();
      t.diagnostic(`seed ${seed}`);
      const random = seededRandom(seed);
      const items: readonly Item[] = [
        { name: "top/a", body: "a".repeat(3_000), mode: 0o755 },
        { name: "top/in/b", kind: "symlink", target: "../a" },
        { name: "top/up", kind: "symlink", target: "." },
        { name: "top/empty/", kind: "directory" },
        { name: `top/${"long".repeat(40)}`, body: "c" },
      ];
      // Of a tar the bytes before compression: damage behind the sum of gzip would reach no further.
      const complete = await archiveOf(format, items);
      const tar = format === "zip" ? null : await tarOf(items);
      let taken = 0;
      for (let round = 0; round < rounds(40, 20_000); round++) {
        const bytes = Uint8Array.from(tar ?? complete);
        for (let flips = 1 + random.below(3); flips > 0; flips--) {
          const at = random.below(bytes.length);
          bytes[at] = random.below(3) === 0 ? random.below(256) : (bytes[at] ?? 0) ^
            (1 << random.below(8));
        }
        await withFolder(async (folder) => {
          const limits = { maxFiles: 50, maxBytes: 10_000_000 };
          const damaged = tar === null ? bytes : gzipSync(bytes);
          const result = await unpackInto(folder, format, damaged, { limits });
          const where = `seed ${seed}, round ${round}`;
          assert.deepEqual(readdirSync(folder), ["in", `tool.${format}`], where);
          if (result.ok) taken++;
          else {assert.ok(
              ["archive", "io"].includes(result.error.code),
              `${where}: ${result.error.code}`,
            );}
          for (const what of Object.values(treeOf(join(folder, "in")))) {
            assert.ok(!/^-> (\/|\.\.\/\.\.)/.test(what), `${where}: ${what}`);
          }
        });
      }
      assert.ok(taken < rounds(40, 20_000), "no damage was found");
    },
  );

  test(
    `extract() of a ${format} that is killed leaves nothing outside, and can be done again`,
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        const items = Array.from({ length: 400 }, (_, i): Item => ({
          name: `d${i % 7}/f${i}`,
          body: new Uint8Array(20_000).fill(i),
        }));
        const archive = join(folder, `tool.${format}`);
        writeFileSync(archive, await archiveOf(format, items));
        mkdirSync(join(folder, "killed"));
        writeFileSync(join(folder, "child.mjs"), childScript());
        await killedChild([join(folder, "child.mjs"), archive, format, join(folder, "killed")]);
        assert.deepEqual(readdirSync(folder).sort(), ["child.mjs", "killed", `tool.${format}`]);
        const left = Object.keys(treeOf(join(folder, "killed"))).length;
        assert.ok(left > 0 && left < 407, `${left} of 407 were there when it was killed`);
        await withFolder(async (again) => {
          const result = await unpackInto(again, format, readFileSync(archive));
          assert.ok(result.ok && result.value.files === 400);
        });
      }),
  );
}

/** Unpacks, and says so before its 100th file, for which it waits. */
function childScript(): string {
  const at = (path: string) =>
    JSON.stringify(new URL(`../../${path}.${onDeno ? "ts" : "js"}`, import.meta.url).href);
  return `
    import { createFiles } from ${at("adapters/node/files")};
    import { extract } from ${at("lib/archive/extract")};
    import process from "node:process";
    const [archive, format, into] = process.argv.slice(2);
    const files = createFiles();
    let written = 0;
    const write = async (...args) => {
      if (++written < 100) return await files.write(...args);
      if (written === 100) process.stdout.write(".");
      await new Promise(() => setInterval(() => {}, 60_000));
    };
    await extract({ archive, format, into }, { files: { ...files, write }, platform: "linux" });`;
}

function killedChild(args: readonly string[]): Promise<void> {
  const runtime = onDeno ? ["run", "-A", "--no-check", "--config", "deno.json"] : [];
  const child = spawn(process.execPath, [...runtime, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => complaint += chunk);
  return new Promise((resolve, reject) => {
    child.stdout.once("data", () => child.kill("SIGKILL"));
    child.on("error", reject);
    child.on("close", (_, signal) => {
      if (signal === "SIGKILL") resolve();
      else reject(new Error(`The child ended by itself: ${complaint}`));
    });
  });
}
