import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Point } from "@noble/ed25519";
import { toBase64Url } from "../../lib/core/base64url.ts";
import { toHex } from "../../lib/core/bytes.ts";
import { sha512 } from "../../lib/core/sha2.ts";
import { verifySignature } from "../../lib/ota-format/signing.ts";
import { NO_COMPILER } from "../../scripts/gate/native.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import type { Skip } from "../support/needs.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";

// The Java core uses only what the oldest Android has, and its Ed25519 judges as every other does.

const root = packageRoot();
const seed = runSeed();
type Random = ReturnType<typeof seededRandom>;
const android = (program: string, ...args: readonly string[]) =>
  spawnSync(join(root, "native", "android", program), args, { encoding: "utf8" });

const checked = android("check-api");
/** It compiles the core with the JDK, and compares it by libraries that Maven fetches. */
const skip: Skip = checked.status === NO_COMPILER && checked.stderr.trim();
test("the Java core uses nothing that Android 7 lacks", { skip }, () => {
  const { status, stdout, stderr } = checked;
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^\d{2,} classes, all known$/m);
});

test(
  "what Android 7 lacks is found: a class, a method, a method of a later return type",
  { skip },
  () =>
    withFolder((folder) => {
      const source = join(folder, "Later.java");
      writeFileSync(
        source,
        `class Later {
        byte[] read() throws Exception { return java.nio.file.Files.readAllBytes(null); }
        boolean isBlank(String text) { return text.isBlank(); }
        void flip(java.nio.ByteBuffer bytes) { bytes.flip(); }
      }`,
      );
      const compiled = spawnSync("javac", ["--release", "17", "-d", folder, source], {
        encoding: "utf8",
      });
      assert.equal(compiled.status, 0, compiled.stderr);
      const { status, stdout } = android("check-api", folder);
      assert.equal(status, 1, stdout);
      for (const found of ["Files.readAllBytes", "String.isBlank", "ByteBuffer.flip"]) {
        assert.ok(stdout.includes(found), `${found} is not in ${stdout}`);
      }
      return Promise.resolve();
    }),
);

const formatted = android("check-format", join(root, "native/android/src/check"));
test("Java that the formatter would write otherwise is found, and written so on request", {
  skip: formatted.status === NO_COMPILER && formatted.stderr.trim(),
}, () =>
  withFolder((folder) => {
    assert.equal(formatted.status, 0, formatted.stdout + formatted.stderr);
    const source = join(folder, "Later.java");
    writeFileSync(source, "import java.util.List;\n\nclass Later { int  at; }\n");
    const found = android("check-format", folder);
    assert.equal(found.status, 1, found.stderr);
    assert.match(
      found.stdout,
      /Later\.java:1: found\nimport java\.util\.List;\nexpected\nclass Later \{/,
    );
    assert.equal(android("check-format", "--in-place", folder).status, 0);
    assert.equal(readFileSync(source, "utf8"), "class Later {\n    int at;\n}\n");
    return Promise.resolve();
  }));

/** A class that uses what may be null. */
const nulls = `
  @org.jspecify.annotations.NullMarked
  class Later {
    @org.jspecify.annotations.Nullable String text() { return null; }
    int length() { return text().length(); }
  }`;
const ports = "native/android/src/main/java/dev/slipway/ota/core/ports";
const looked = android("check-nulls", join(root, ports, "Ed25519.java"));
test("Java that uses what may be null without looking is found", {
  skip: looked.status === NO_COMPILER && looked.stderr.trim(),
}, () =>
  withFolder((folder) => {
    assert.equal(looked.status, 0, looked.stderr);
    const source = join(folder, "Later.java");
    writeFileSync(source, nulls);
    const found = android("check-nulls", source);
    assert.equal(found.status, 1, found.stderr);
    assert.match(found.stderr, /\[NullAway\] dereferenced expression 'text\(\)' is @Nullable/);
    return Promise.resolve();
  }));

/** Replays vectors by an implementation of Ed25519: the phone's own, or that of the desktop's Java. */
function replay(provider: "own" | "platform", ...vectors: readonly string[]): void {
  const { status, stdout, stderr } = android("replay", "--ed25519", provider, ...vectors);
  assert.equal(status, 0, `SLIPWAY_SEED=${seed}: by ${provider}: ${stdout}${stderr}`);
}

for (const provider of ["own", "platform"] as const) {
  test(`every signature has the same verdict by the ${provider} Ed25519, Wycheproof's too`, {
    skip,
  }, () => {
    const kinds = ["signature", "trusted"].map((kind) => join(root, "vectors", kind));
    replay(provider, ...kinds);
  });
}

const SIGNATURES = rounds(300, 20_000);

test(
  `TypeScript, the phone's Java and the desktop's judge ${SIGNATURES} random signatures alike (SIG-3)`,
  {
    skip,
  },
  () =>
    withFolder(async (folder) => {
      const random = seededRandom(seed);
      const drawn: Signature[] = [];
      while (drawn.length < SIGNATURES) drawn.push(...await drawSignatures(random));
      const valid = drawn.filter(({ expect }) => expect.valid).length;
      assert.ok(valid > SIGNATURES / 12 && valid < SIGNATURES / 2, `${valid} are valid`);
      const file = writeVectors(folder, drawn);
      replay("own", file);
      replay("platform", file);
    }),
);

test(
  "a signature with a point of small order in it is judged as in TypeScript (SIG-3)",
  { skip },
  () =>
    withFolder(async (folder) => {
      const random = seededRandom(seed);
      const drawn = await Promise.all(
        Array.from({ length: 16 }, (_, at) => {
          const order8 = Point.fromBytes(fromHex(ORDER_8)).multiply(BigInt(at % 8), false);
          return judged(
            signedWith(random, at < 8 ? order8 : Point.ZERO, at < 8 ? Point.ZERO : order8),
          );
        }),
      );
      assert.ok(drawn.every(({ expect }) => expect.valid));
      replay("own", writeVectors(folder, drawn)); // the desktop's equation has no cofactor
    }),
);

/** A case of a vector. */
interface Signature {
  readonly input: { readonly message: string; readonly sig: string; readonly publicKey: string };
  readonly expect: { readonly valid: boolean };
}

interface Signed {
  readonly message: Uint8Array;
  readonly sig: Uint8Array;
  readonly key: Uint8Array;
}

/** The point of order 8 with the smallest y; the tests of RFC 8032 have none. */
const ORDER_8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05";
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** One honest signature, and what it can become: with flipped bits, with parts of another, with S + L. */
async function drawSignatures(random: Random): Promise<Signature[]> {
  const one = signedWith(random, Point.ZERO, Point.ZERO);
  const other = signedWith(random, Point.ZERO, Point.ZERO);
  const [r, s] = [one.sig.slice(0, 32), one.sig.slice(32)];
  const wrong: Signed[] = [
    { ...one, sig: turned(one.sig, random) },
    { ...one, key: turned(one.key, random) },
    { ...one, message: turned(one.message, random) },
    { ...one, key: other.key },
    { ...one, sig: joined(r, other.sig.slice(32)) },
    { ...one, sig: joined(other.sig.slice(0, 32), s) },
    { ...one, sig: joined(r, littleEndian(numberOf(s) + ORDER)) },
    { ...one, sig: bytesOf(random, 64) },
    { ...one, key: bytesOf(random, 32) },
  ];
  return await Promise.all([one, ...wrong].map(judged));
}

/** Signs as only the owner of the key can: with points of small order added to R and to the key. */
function signedWith(
  random: Random,
  besideR: typeof Point.ZERO,
  besideKey: typeof Point.ZERO,
): Signed {
  const message = bytesOf(random, 1 + random.below(80));
  const [secret, nonce] = [numberOf(bytesOf(random, 31)) + 1n, numberOf(bytesOf(random, 31)) + 1n];
  const key = Point.BASE.multiply(secret).add(besideKey).toBytes();
  const r = Point.BASE.multiply(nonce).add(besideR).toBytes();
  const k = numberOf(sha512(joined(r, key, message))) % ORDER;
  return { message, key, sig: joined(r, littleEndian((nonce + k * secret) % ORDER)) };
}

/** With TypeScript's verdict. */
async function judged({ message, sig, key }: Signed): Promise<Signature> {
  const [text, publicKey] = [toBase64Url(sig), toBase64Url(key)];
  const valid = await verifySignature(message, text, publicKey);
  return { input: { message: toBase64Url(message), sig: text, publicKey }, expect: { valid } };
}

function writeVectors(folder: string, cases: readonly Signature[]): string {
  const file = join(folder, "drawn.json");
  writeFileSync(file, JSON.stringify([{ id: "DRAWN-1-signature", kind: "signature", cases }]));
  return file;
}

function turned(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice();
  const at = random.below(copy.length);
  copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
  return copy;
}

function bytesOf(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes.slice().reverse())}`);
}

function littleEndian(number: bigint): Uint8Array {
  return fromHex(number.toString(16).padStart(64, "0")).reverse();
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
