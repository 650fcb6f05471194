import assert from "node:assert/strict";
import { test } from "node:test";
import { childrenNamed, escapeXml, firstText, parseXml } from "../../lib/ota-publish/s3/xml.ts";
import { cpuSeconds } from "../support/cpu-time.ts";

test("parseXml() reads elements, text and what S3 puts around them", () => {
  const root = parseXml(
    `\ufeff<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment -->
<s3:List xmlns:s3="http://s3/" a='>"'>
  <Key>a &amp; b&#x20;&lt;&#233;&gt;&quot;&apos;</Key><Key/><Key ><![CDATA[<&amp;>]]>!</Key>
  <Deep><Key>no</Key></Deep>
</s3:List>
`,
  );
  assert.ok(root);
  assert.equal(root.name, "List");
  assert.deepEqual(childrenNamed(root, "Key").map(({ text }) => text), [
    "a & b <é>\"'",
    "",
    "<&amp;>!",
  ]);
  assert.equal(firstText(root, "Key"), "a & b <é>\"'");
  assert.equal(firstText(root, "Missing"), null);
});

for (
  const text of [
    "",
    "words",
    "<a>",
    "<a></b>",
    "</a>",
    "<a/><b/>",
    "<a/>words",
    "<a><b></a></b>",
    "<a b=c/>",
    "<a>&unknown;</a>",
    "<a>&constructor;</a>",
    "<a>a & b</a>",
    "<a>&#0;</a>",
    "<a>&#x110000;</a>",
    "<a><!-- </a>",
    "<a><![CDATA[</a>",
    '<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>',
    "<a>".repeat(17) + "</a>".repeat(17),
    "<",
    "<a",
  ]
) {
  test(`parseXml() refuses ${JSON.stringify(text.slice(0, 50))}`, () => {
    assert.equal(parseXml(text), null);
  });
}

test("parseXml() takes time in proportion to what it reads", () => {
  for (
    const text of [
      "<a" + " ".repeat(200_000),
      "<a" + " b='c'".repeat(50_000),
      "<!--" + "-".repeat(200_000),
      "<a>" + "&".repeat(200_000),
      `<a ${"b=".repeat(100_000)}`,
    ]
  ) {
    assert.ok(cpuSeconds(() => assert.equal(parseXml(text), null)) < 5, text.slice(0, 10));
  }
});

test("escapeXml() and parseXml() are each other's way back", () => {
  const text = `"a" & <b> ]]> 'é'`;
  assert.equal(parseXml(`<a>${escapeXml(text)}</a>`)?.text, text);
});
