import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopback, isLoopbackListener } from "../../lib/core/loopback.ts";

for (
  const [hostname, want] of [
    ["127.0.0.1", true],
    ["127.8.9.10", true],
    ["127.1", true],
    ["localhost", true],
    ["LOCALHOST", true],
    ["localhost.", true],
    ["store.localhost", true],
    ["::1", true],
    ["[::1]", true],
    ["0:0:0:0:0:0:0:1", true],
    ["::ffff:127.0.0.1", true],
    ["[::ffff:7f08:90a]", true],
    ["", false],
    ["0.0.0.0", false],
    ["::", false],
    ["::ffff:128.0.0.1", false],
    ["::2", false],
    ["126.255.255.255", false],
    ["128.0.0.1", false],
    ["127.0.0.256", false],
    ["192.168.1.7", false],
    ["127.0.0.1.evil.example", false],
    ["localhost.evil.example", false],
    ["notlocalhost", false],
    ["localhost:80", false],
    ["localhost/", false],
    ["localhost@evil.example", false],
    ["evil.example#localhost", false],
  ] as const
) {
  test(`isLoopback() of ${hostname}`, () => assert.equal(isLoopback(hostname), want));
}

for (
  const [hostname, want] of [
    ["127.0.0.1", true],
    ["127.1", true],
    ["0x7f.1", true],
    ["localhost", true],
    ["localhost.", true],
    ["::1", true],
    ["[::ffff:127.0.0.1]", true],
    ["store.localhost", false], // the hosts file may point it anywhere
    ["0.0.0.0", false],
    ["::", false],
    ["127.0.0.1.nip.io", false],
  ] as const
) {
  test(`isLoopbackListener() of ${hostname}`, () => {
    assert.equal(isLoopbackListener(hostname), want);
  });
}
