import { test } from "node:test";
import assert from "node:assert/strict";
import process from "node:process";
import { peerUser } from "../../adapters/node/peers.ts";

const OWN = process.geteuid?.() ?? 0;
const CALLER = "0100007F:C350";
const SERVICE = "0100007F:128B";
const MAPPED = (v4: string) => `0000000000000000FFFF0000${v4}`;

/** A line of the table: the socket of a caller on port 50000 of a service on port 4747. */
function line(uid: number, { local = CALLER, remote = SERVICE, inode = "77" } = {}): string {
  return `   0: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${uid}  0 ${inode} 1 0`;
}
const LISTENING = line(OWN, { local: SERVICE, remote: "00000000:0000" });

/** What lies in `/proc/net/tcp` at each look, `tcp6`, and what is told of the caller. */
const ROWS: Readonly<
  Record<string, { tcp: readonly string[][]; tcp6?: readonly string[]; want: string }>
> = {
  "this user's": { tcp: [[LISTENING, line(OWN)]], want: "same" },
  "root's": { tcp: [[LISTENING, line(0)]], want: "same" },
  "another user's": { tcp: [[LISTENING, line(OWN + 1)]], want: "another" },
  "this user's, over an IPv6 socket": {
    tcp: [[LISTENING]],
    tcp6: [line(OWN, { local: MAPPED(CALLER), remote: MAPPED(SERVICE) })],
    want: "same",
  },
  "this user's, left out at the first look": {
    tcp: [[LISTENING], [LISTENING, line(OWN)]],
    want: "same",
  },
  "another user's, beside one of this user's to another address": {
    tcp: [[LISTENING, line(OWN, { remote: "0200007F:128B" }), line(OWN + 1)]],
    want: "another",
  },
  "nobody's any more: its uid reads 0, whoever it was": {
    tcp: [[LISTENING, line(0, { inode: "0" })]],
    want: "another",
  },
  "in a table that does not even hold our own socket": {
    tcp: [[line(OWN, { local: "0100007F:0016" })]],
    want: "unknown",
  },
};

for (const [title, { tcp, tcp6 = [], want }] of Object.entries(ROWS)) {
  const skip = process.platform !== "linux" && "the table is spelled as Linux does";
  test(`peerUser() tells ${want} of a caller's socket that is ${title}`, { skip }, async () => {
    let looks = 0;
    const told = await peerUser({
      remote: { address: "127.0.0.1", port: 50_000 },
      local: { address: "127.0.0.1", port: 4_747 },
    }, (path) => {
      const lines = path.endsWith("6") ? tcp6 : tcp[Math.min(looks++, tcp.length - 1)] ?? [];
      return Promise.resolve(["  sl  local_address …", ...lines, ""].join("\n"));
    });
    assert.equal(told, want);
  });
}

test("peerUser() tells another of a caller that is gone, where the system tells", {
  skip: process.platform === "win32" && "Windows has no users of this kind",
}, async () => {
  assert.equal(await peerUser(null, () => Promise.resolve(LISTENING)), "another");
  assert.equal(await peerUser(null, () => Promise.reject(new Error("ENOENT"))), "unknown");
});

test("peerUser() tells unknown where there is no table", async () => {
  const ends = { address: "127.0.0.1", port: 1 };
  const none = () => Promise.reject(new Error("ENOENT"));
  assert.equal(await peerUser({ remote: ends, local: ends }, none), "unknown");
});
