import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { invisibleIn, withoutInvisible } from "../../lib/core/invisible.ts";

// The engines that test know lookbehind; Safari 15, which the code is for, does not.
const SCRIPTS = "Arab Syrc Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr"
  .split(" ").map((script) => `\\p{scx=${script}}`).join("");
const NEEDED = new RegExp(
  `(?<=[${SCRIPTS}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])[\\u200c\\u200d]` +
    "(?=[\\p{L}\\p{Extended_Pictographic}])|(?<=\\p{Emoji})[\\ufe0e\\ufe0f]",
  "gu",
);
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb]/u;

const texts = fc.array(
  fc.constantFrom(
    ..."a1#\u200c\u200d\ufe0e\ufe0f\u202e\u2028\t\u0915\u094d\u0643\u{1f3fb}\u{1f468}\u2764\u{e0001}\ud83d",
  ),
  { maxLength: 12 },
).map((parts) => parts.join(""));

test("invisibleIn() and withoutInvisible() find what lookbehind finds", () =>
  fc.assert(
    fc.property(texts, (text) => {
      const [first] = INVISIBLE.exec(text.replace(NEEDED, "")) ?? [];
      const code = first?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
      assert.equal(invisibleIn(text), code === undefined ? null : `U+${code}`);
      const needed = new Set(Array.from(text.matchAll(NEEDED), ({ index }) => index));
      const every = new RegExp(INVISIBLE.source, "gu");
      const expected = text.replace(
        every,
        (found: string, at: number) =>
          needed.has(at) ? found : /[\p{Cc}\p{Zl}\p{Zp}]/u.test(found) ? " " : "",
      );
      assert.equal(withoutInvisible(text), code === undefined ? text : expected);
    }),
    { numRuns: 3_000 },
  ));
