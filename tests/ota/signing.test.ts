import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { test } from "node:test";
import { fromBase64Url, toBase64Url } from "../../lib/core/base64url.ts";
import {
  generateKeyPair,
  publicKeyOf,
  signedBytes,
  signRecord,
  verifySignature,
} from "../../lib/ota-format/signing.ts";

// The platform's own Ed25519 is the second opinion.

const PKCS8 = "302e020100300506032b657004220420";
const SPKI = "302a300506032b6570032100";

function derKey(prefix: string, key: string): Buffer {
  return Buffer.concat([Buffer.from(prefix, "hex"), fromBase64Url(key) ?? new Uint8Array()]);
}

test("signRecord() is what the platform signs, and both verify both", async () => {
  for (let round = 0; round < 5; round++) {
    const { publicKey, privateKey } = await generateKeyPair();
    const record = { schema: 1, sequence: round, bundles: { shell: `v${round + 1}` } };
    const message = signedBytes(record);
    const ours = await signRecord(record, privateKey);
    const platformKey = createPrivateKey({
      key: derKey(PKCS8, privateKey),
      format: "der",
      type: "pkcs8",
    });
    assert.equal(ours, toBase64Url(sign(null, message, platformKey))); // Ed25519 is deterministic
    const platformPublic = createPublicKey({
      key: derKey(SPKI, publicKey),
      format: "der",
      type: "spki",
    });
    assert.ok(verify(null, message, platformPublic, Buffer.from(ours, "base64url")));
    assert.ok(await verifySignature(message, ours, publicKey));
  }
});

test("publicKeyOf() gives the public half, and null for what is no key", async () => {
  const { publicKey, privateKey } = await generateKeyPair();
  assert.equal(await publicKeyOf(privateKey), publicKey);
  for (const bad of ["", "x", `${privateKey}=`, privateKey.slice(1)]) {
    assert.equal(await publicKeyOf(bad), null);
  }
});

test("signRecord() throws on what is no key: the key file was checked before", async () => {
  await assert.rejects(signRecord({}, "x"), RangeError);
});
