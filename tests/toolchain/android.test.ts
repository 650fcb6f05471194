import { afterTests } from "../support/after-tests.ts";
import { ANDROID_PACKAGES } from "../../lib/toolchain/tools/android-packages.ts";
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageXml } from "../../lib/toolchain/recipes/android-layout.ts";
import { offerStandIn, put, startVendor, toolchainFor } from "./install-world.ts";
import { folder, posix } from "./real-machine.ts";

const vendor = await startVendor();
afterTests(() => vendor.close());

const LICENCE = "android-sdk/licenses/android-sdk-license";

// INST-7
test("packageXml() describes each package as the vendor's index does", () => {
  const of = (path: string) => {
    const found = ANDROID_PACKAGES.find((each) => each.path === path);
    assert.ok(found !== undefined, path);
    return packageXml(found);
  };
  const platform = of("platforms;android-36");
  assert.match(
    platform,
    /<localPackage path="platforms;android-36" obsolete="false"><type-details xsi:type="sdk:platformDetailsType"><api-level>36<\/api-level><extension-level>17<\/extension-level><base-extension>true<\/base-extension><layoutlib api="15"\/><\/type-details><revision><major>2<\/major><\/revision><display-name>Android SDK Platform 36<\/display-name><\/localPackage>/,
  );
  assert.match(
    platform,
    /xmlns:sdk="http:\/\/schemas\.android\.com\/sdk\/android\/repo\/repository2\/03"/,
  );
  assert.match(
    of("platform-tools"),
    /<type-details xsi:type="generic:genericDetailsType"\/><revision><major>37<\/major><minor>0<\/minor><micro>1<\/micro><\/revision>/,
  );
  assert.match(of("build-tools;36.0.0"), /<major>36<\/major><minor>0<\/minor><micro>0<\/micro>/);
  assert.match(of("cmdline-tools;latest"), /<major>21<\/major><minor>0<\/minor><\/revision>/);
  for (const each of ANDROID_PACKAGES) {
    const xml = packageXml(each);
    // Every prefix that is used is declared, and every tag is closed.
    for (const [, prefix = ""] of xml.matchAll(/[<"](\w+):\w+/g)) {
      if (prefix !== "xmlns" && prefix !== "http") {
        assert.match(xml, new RegExp(`xmlns:${prefix}="http`));
      }
    }
    for (const [, tag = ""] of xml.matchAll(/<([\w:-]+)(?:\s[^>]*[^/])?>/g)) {
      assert.ok(xml.includes(`</${tag}>`), tag);
    }
  }
});

for (const receipt of ["with", "without"] as const) {
  test(
    `uninstall() of the Android SDK ${receipt} a receipt keeps what a user added`,
    posix,
    async () => {
      const toolchain = toolchainFor(await offerStandIn(vendor, "android-sdk"));
      const at = (path: string) => join(toolchain.directory, path);
      assert.ok((await toolchain.install("android-sdk")).ok);
      put(at("android-sdk/platforms/android-35/android.jar"), "mine");
      put(at("android-sdk/ndk/27/source.properties"), "mine");
      if (receipt === "without") rmSync(at("receipts"), { recursive: true });

      const force = receipt === "without";
      if (force) {
        const refused = await toolchain.uninstall("android-sdk");
        assert.equal(refused.ok ? "" : refused.error.code, "no-receipt");
      }
      const removed = await toolchain.uninstall("android-sdk", { force });
      assert.ok(
        removed.ok && removed.value.removed && removed.value.freed > 0,
        JSON.stringify(removed),
      );
      assert.deepEqual(readdirSync(at("android-sdk")).sort(), ["licenses", "ndk", "platforms"]);
      assert.deepEqual(readdirSync(at("android-sdk/platforms")), ["android-35"]);
      // The packages that stay came under the same licence: Gradle asks for it.
      assert.match(readFileSync(at(LICENCE), "utf8"), /24333f8a63b6825ea9c5514f83c2829b004d1fee/);

      // Installed again beside them, and then with nothing else left.
      assert.ok((await toolchain.install("android-sdk")).ok);
      assert.equal(
        readFileSync(at("android-sdk/platforms/android-35/android.jar"), "utf8"),
        "mine",
      );
      rmSync(at("android-sdk/platforms/android-35"), { recursive: true });
      rmSync(at("android-sdk/ndk"), { recursive: true });
      if (receipt === "without") rmSync(at("receipts"), { recursive: true });
      assert.ok((await toolchain.uninstall("android-sdk", { force })).ok);
      assert.equal(existsSync(at("android-sdk")), false);
    },
  );
}

test(
  "uninstall() of a linked SDK that was not installed is refused, and by force takes the link alone",
  posix,
  async () => {
    const toolchain = toolchainFor(await offerStandIn(vendor, "android-sdk"));
    const own = folder();
    put(join(own, "platform-tools/adb"), "mine");
    put(join(toolchain.directory, "settings.json"), "{}");
    symlinkSync(own, join(toolchain.directory, "android-sdk"));
    const refused = await toolchain.uninstall("android-sdk");
    assert.equal(refused.ok ? "" : refused.error.code, "no-receipt");
    assert.equal(existsSync(join(toolchain.directory, "android-sdk")), true);
    const removed = await toolchain.uninstall("android-sdk", { force: true });
    assert.ok(removed.ok && removed.value.removed, JSON.stringify(removed));
    assert.equal(existsSync(join(toolchain.directory, "android-sdk")), false);
    assert.equal(readFileSync(join(own, "platform-tools/adb"), "utf8"), "mine");
  },
);
