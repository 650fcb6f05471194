import assert from "node:assert/strict";
import { test } from "node:test";
import {
  javaMajor,
  parseJavaRelease,
  parsePackageRevision,
  sameVersion,
} from "../../lib/toolchain/tools/versions.ts";

for (
  const [a, b, want] of [
    ["1.2", "1.2.0", true],
    ["1.2.0", "1.2", true],
    ["v22.23.1", "22.23.1", true],
    ["1.2", "1.2.1", false],
    ["1.20", "1.2", false],
    ["21.0.11+10", "21.0.11+10", true],
    ["21.0.11", "21.0.11+10", true],
    ["21.0.11+9", "21.0.11+10", false],
    ["21.0.12.1", "21.0.12", false],
    ["4.4.1-rc1", "4.4.1", false],
  ] as const
) {
  test(`sameVersion() of ${a} and ${b} is ${want}`, () => assert.equal(sameVersion(a, b), want));
}

for (
  const [version, want] of [
    ["21.0.11", 21],
    ["21.0.12.1", 21],
    ["21.0.12.1+1-LTS", 21],
    ["21", 21],
    ["21-ea", 21],
    ["25.0.3", 25],
    ["17.0.15", 17],
    ["1.8.0_402", 8],
    ["211.0", 211],
    ["unknown", null],
    ["", null],
  ] as const
) {
  test(`javaMajor() of ${JSON.stringify(version)} is ${want}`, () => {
    assert.equal(javaMajor(version), want);
  });
}

for (
  const [title, text, want] of [
    [
      "Temurin",
      'IMPLEMENTOR="Eclipse Adoptium"\nJAVA_RUNTIME_VERSION="25.0.3+9-LTS"\nJAVA_VERSION="25.0.3"\n',
      "25.0.3+9",
    ],
    [
      "Debian",
      'JAVA_RUNTIME_VERSION="17.0.15+6-Debian-1deb12u1"\nJAVA_VERSION="17.0.15"\n',
      "17.0.15+6",
    ],
    [
      "four parts and a build",
      'JAVA_RUNTIME_VERSION="21.0.12.1+1-LTS"\nJAVA_VERSION="21.0.12.1"\n',
      "21.0.12.1+1",
    ],
    ["four parts", 'JAVA_VERSION="21.0.12.1"\nJAVA_VERSION_DATE="2026-08-20"\n', "21.0.12.1"],
    ["line ends of Windows", 'A="b"\r\nJAVA_VERSION="21.0.11"\r\n', "21.0.11"],
    ["no quotes", "JAVA_VERSION=21.0.11\n", "21.0.11"],
    ["a runtime version of something else", 'JAVA_RUNTIME_VERSION="9"\nJAVA_VERSION="21"\n', "21"],
    ["a member that only ends like it", 'GRAAL_JAVA_VERSION="21"\n', null],
    ["a version without an end", `JAVA_VERSION="${"21.".repeat(100)}"\n`, null],
    ["a version that steers the terminal", 'JAVA_VERSION="21\x1b[31m"\n', null],
    [
      "a runtime version without an end",
      `JAVA_VERSION="21.0.1"\nJAVA_RUNTIME_VERSION="21.0.1${"+1".repeat(100)}"\n`,
      "21.0.1",
    ],
    ["nothing", "", null],
  ] as const
) {
  test(`parseJavaRelease() reads ${title}`, () => assert.equal(parseJavaRelease(text), want));
}

test("parsePackageRevision() reads an Android package", () => {
  const text = "Pkg.UserSrc=false\nPkg.Revision=37.0.1\n";
  assert.equal(parsePackageRevision(text), "37.0.1");
  assert.equal(parsePackageRevision("Pkg.UserSrc=false\n"), null);
  assert.equal(parsePackageRevision(`Pkg.Revision=${"1".repeat(200)}\n`), null);
});
