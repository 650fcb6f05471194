import assert from "node:assert/strict";
import { test } from "node:test";
import { behindSdkManager } from "../../lib/toolchain/recipes/sdkmanager-program.ts";
import { machine } from "./machine.ts";

for (
  const [platform, tools, jar, java] of [
    ["linux", "/sdk/cmdline-tools/latest", "/lib/sdkmanager-classpath.jar", "/jdk/bin/java"],
    [
      "win32",
      "C:\\my sdk\\cmdline-tools\\latest",
      "\\lib\\classpaths\\sdkmanager-classpath.jar",
      "C:\\jdk\\bin\\java.exe",
    ],
  ] as const
) {
  test(`behindSdkManager() on ${platform} starts our Java and no script`, () => {
    const javaHome = platform === "win32" ? "C:\\jdk" : "/jdk";
    const { syncStat: stat } = machine({
      platform,
      entries: { [`${tools}${jar}`]: "jar", [java]: { program: "x" } },
    });
    assert.deepEqual(behindSdkManager(tools, { javaHome, platform, stat }), {
      command: java,
      args: [
        `-Dcom.android.sdklib.toolsdir=${tools}`,
        "-cp",
        `${tools}${jar}`,
        "com.android.sdklib.tool.sdkmanager.SdkManagerCli",
      ],
    });
    const none = machine({ platform, entries: { [java]: { program: "x" } } }).syncStat;
    assert.equal(behindSdkManager(tools, { javaHome, platform, stat: none }), null);
  });
}
