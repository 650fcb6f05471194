import assert from "node:assert/strict";
import { test } from "node:test";
import { redacted } from "../../scripts/toolchain/redact.ts";

const LINUX = { home: "/home/jo", names: ["jo"] };
const WINDOWS = { home: "C:\\Users\\Jo Smith", names: ["Jo Smith", "jsmith"] };
const ROOT = { home: "/root", names: ["root"] };

const ROWS = [
  ["a folder below home", LINUX, "/home/jo/Android/Sdk", "~/Android/Sdk"],
  ["home in a sentence", LINUX, "own tools in /home/jo: none", "own tools in ~: none"],
  ["every entry of a PATH", LINUX, "/home/jo/bin:/usr/bin:/home/jo/x", "~/bin:/usr/bin:~/x"],
  ["another user's home", LINUX, "/home/jodie/bin", "/home/jodie/bin"],
  ["the name elsewhere in a path", LINUX, "/media/jo/disk", "/media/<user>/disk"],
  ["the name as a word", LINUX, "jo is not found in /bin", "jo is not found in /bin"],
  ["the name before a host", LINUX, "http://jo@proxy:1/", "http://<user>@proxy:1/"],
  ["the name with a password", LINUX, "http://jo:***@proxy:1/", "http://<user>:***@proxy:1/"],
  [
    "a mirror's password",
    LINUX,
    '{"https://a/":"https://me:pw@m.test/x@1"}',
    '{"https://a/":"https://me:***@m.test/x@1"}',
  ],
  ["a password with an @", LINUX, "http://me:p@w@m.test/", "http://me:***@m.test/"],
  ["a token alone", LINUX, "https://hush@m.test/ is late", "https://***@m.test/ is late"],
  [
    "a token as query",
    LINUX,
    '{"https://a/":"https://m.test/x?sig=hush&a=b"} is late',
    '{"https://a/":"https://m.test/x?***"} is late',
  ],
  ["an address with an @ in its path", LINUX, "https://m.test/@a/b@1", "https://m.test/@a/b@1"],
  ["the name at the end of an entry", LINUX, "/srv/jo:/bin", "/srv/<user>:/bin"],
  ["a Windows home", WINDOWS, "C:\\Users\\Jo Smith\\AppData", "~\\AppData"],
  ["a Windows home spelled otherwise", WINDOWS, "c:/users/JO SMITH/AppData", "~/AppData"],
  ["a home that was written twice escaped", WINDOWS, '"C:\\\\Users\\\\Jo Smith\\\\a"', '"~\\\\a"'],
  ["a name of one's own elsewhere", WINDOWS, "D:\\jsmith\\sdk", "D:\\<user>\\sdk"],
  ["a home of odd letters", { home: "/h/a-b (c).ü", names: [] }, "/h/a-b (c).ü/x", "~/x"],
  ["root's home", ROOT, "/root/.local/share", "~/.local/share"],
  ["a folder that only begins so", ROOT, "/rootfs/x", "/rootfs/x"],
] as const;

for (const [title, facts, text, want] of ROWS) {
  test(`redacted() of ${title}`, () => {
    assert.equal(redacted(text, facts), want);
    assert.deepEqual(redacted({ [text]: [text, 1, null, true] }, facts), {
      [want]: [want, 1, null, true],
    });
  });
}

test("redacted() without a home and without names changes nothing", () => {
  assert.equal(redacted("/a/b", { home: "/", names: [""] }), "/a/b");
});
