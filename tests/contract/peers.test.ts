import { test } from "node:test";
import assert from "node:assert/strict";
import process from "node:process";
import { createPeerLookup } from "../../adapters/node/peers.ts";

const OWN = process.geteuid?.() ?? 0;
const CALLER = "0100007F:C350";
const SERVICE = "0100007F:128B";
const MAPPED = (v4: string) => `0000000000000000FFFF0000${v4}`;

/** A line of the table: the socket of a caller on port 50000 of a service on port 4747. */
function line(uid: number, { local = CALLER, remote = SERVICE, inode = "77" } = {}): string {
  return `   0: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${uid}  0 ${inode} 1 0`;
}
const LISTENING = line(OWN, { local: SERVICE, remote: "00000000:0000" });

const ENDS = {
  remote: { address: "127.0.0.1", port: 50_000 },
  local: { address: "127.0.0.1", port: 4_747 },
};

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
  test(
    `createPeerLookup() tells ${want} of a caller's socket that is ${title}`,
    { skip },
    async () => {
      let looks = 0;
      const lookUp = createPeerLookup((path) => {
        const lines = path.endsWith("6") ? tcp6 : tcp[Math.min(looks++, tcp.length - 1)] ?? [];
        return ["  sl  local_address …", ...lines, ""].join("\n");
      });
      assert.equal(await lookUp(ENDS), want);
    },
  );
}

/** What an error of the system is known by. */
function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The ends of a connection, as the tables would hold it if they did. */
const between = (remote: string, local: string) => ({
  remote: { address: remote, port: 50_000 },
  local: { address: local, port: 4_747 },
});

for (
  const [remote, local, uid, want] of [
    ["192.168.1.7", "192.168.1.20", OWN, "unknown"],
    ["192.168.1.20", "192.168.1.20", OWN, "unknown"], // a program of this machine, over its own address
    ["::ffff:192.168.1.7", "::ffff:192.168.1.20", OWN, "unknown"],
    ["2001:db8::7", "2001:db8::20", OWN, "unknown"],
    ["fe80::7%eth0", "fe80::20%eth0", OWN, "unknown"],
    ["192.168.1.7", "0.0.0.0", OWN, "unknown"],
    ["2001:db8::7", "::", OWN, "unknown"],
    ["127.0.0.1", "192.168.1.20", OWN, "unknown"],
    ["126.0.0.1", "127.0.0.1", OWN, "unknown"],
    ["::ffff:127.0.0.1", "::ffff:127.0.0.1", OWN + 1, "another"],
    ["127.0.0.1", "0.0.0.0", OWN, "same"],
    ["127.0.0.1", "0.0.0.0", OWN + 1, "another"],
    ["::ffff:127.0.0.1", "::", OWN, "same"],
    ["::ffff:127.0.0.1", "::", OWN + 1, "another"],
  ] as const
) {
  const skip = process.platform !== "linux" && "the table is spelled as Linux does";
  test(
    `createPeerLookup() tells ${want} of a caller at ${remote} of ${local}, with uid + ${
      uid - OWN
    } in the table`,
    { skip },
    async () => {
      const lookUp = createPeerLookup(() =>
        ["  sl  local_address …", LISTENING, line(uid), ""].join("\n")
      );
      assert.equal(await lookUp(between(remote, local)), want);
    },
  );
}

for (
  const [title, ends, failures, want] of [
    ["a caller that is gone, where the system tells", null, {}, "another"],
    ["a caller that is gone, where there is no table", null, { tcp: "ENOENT" }, "unknown"],
    ["a caller, where there is no table", ENDS, { tcp: "ENOENT" }, "unknown"],
    ["a caller, where the table is hidden", ENDS, { tcp: "EACCES" }, "unknown"],
    ["a caller, where nothing is left to open a table", ENDS, { tcp: "EMFILE" }, "another"],
    ["a caller, where only one could be opened", ENDS, { tcp6: "EMFILE" }, "another"],
    ["this user's caller, where there is no IPv6", ENDS, { tcp6: "ENOENT" }, "same"],
  ] as const
) {
  const skip = process.platform === "win32" && "Windows has no users of this kind";
  test(`createPeerLookup() tells ${want} of ${title}`, { skip }, async () => {
    const failing = new Map<string, string>(Object.entries(failures));
    const user = await createPeerLookup((path) => {
      const code = failing.get(path.replace("/proc/net/", ""));
      if (code !== undefined) throw errno(code);
      return ["  sl  local_address …", LISTENING, line(OWN), ""].join("\n");
    })(ends);
    assert.equal(user, want);
  });
}

test("createPeerLookup() reads the table once for all who ask at once, never from before", {
  skip: process.platform === "win32" && "Windows has no users of this kind",
}, async () => {
  let reads = 0;
  const lookUp = createPeerLookup((path) => {
    if (path.endsWith("6")) return "";
    return ["  sl  local_address …", LISTENING, line(OWN + reads++)].join("\n");
  });
  const asked = await Promise.all(Array.from({ length: 100 }, () => lookUp(ENDS)));
  assert.deepEqual(new Set(asked), new Set(["same"]));
  assert.equal(reads, 1);
  assert.equal(await lookUp(ENDS), "another");
});
