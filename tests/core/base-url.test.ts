import assert from "node:assert/strict";
import { test } from "node:test";
import { baseUrlFault } from "../../lib/core/base-url.ts";

const ROWS: readonly (readonly [text: string, fault: ReturnType<typeof baseUrlFault>])[] = [
  ["https://cdn.example", null],
  ["HTTPS://CDN.example:8443/game/", null],
  ["https://cdn.example/@game", null],
  ["http://127.0.0.1:8080/x", null],
  ["http://[::1]:1", null],
  ["http://a.localhost", null],
  ["http://cdn.example", "insecure"],
  ["", "no-address"],
  ["https://", "no-address"],
  ["cdn.example", "no-address"],
  ["file:///a", "no-address"],
  ["https:cdn.example", "no-address"],
  ["https:/cdn.example", "no-address"],
  ["https:///cdn.example", "no-address"],
  ["https:\\\\cdn.example", "no-address"],
  ["https://cdn.example/a\\b", "no-address"],
  [" https://cdn.example", "no-address"],
  ["https://cdn.example/ ", "no-address"],
  ["https://cdn.exam\nple", "no-address"],
  ["https://cdn.example/\0", "no-address"],
  ["https://cdn.example/a b", "no-address"],
  ["https://a:b@cdn.example", "no-address"],
  ["https://@cdn.example", "no-address"],
  ["https://cdn.example?", "no-address"],
  ["https://cdn.example/#", "no-address"],
  ["https://*", "no-address"],
  ["https://a;b", "no-address"],
];
for (const [text, fault] of ROWS) {
  test(`baseUrlFault() of ${JSON.stringify(text)} is ${fault} (CHECK-16)`, () =>
    assert.equal(baseUrlFault(text), fault));
}
