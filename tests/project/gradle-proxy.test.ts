import assert from "node:assert/strict";
import { test } from "node:test";
import { withGradleProxy } from "../../lib/project/building/gradle-proxy.ts";

const PROXY = "-Dhttps.proxyHost=proxy.example -Dhttps.proxyPort=3128";

for (
  const [title, env, want] of [
    ["without a proxy", {}, undefined],
    ["with one for https", { HTTPS_PROXY: "http://proxy.example:3128" }, PROXY],
    [
      "with one for all",
      { ALL_PROXY: "http://proxy.example" },
      [
        "-Dhttps.proxyHost=proxy.example -Dhttps.proxyPort=80",
        "-Dhttp.proxyHost=proxy.example -Dhttp.proxyPort=80",
      ].join(" "),
    ],
    ["without its login", { https_proxy: "http://jo:p%40ss@proxy.example:3128" }, PROXY],
    ["with exceptions", {
      HTTPS_PROXY: "http://proxy.example:3128",
      NO_PROXY: "localhost, .corp.example,10.0.0.0/8",
    }, `${PROXY} "-Dhttp.nonProxyHosts=localhost|*.corp.example"`],
    ["with options of the person's own", {
      HTTPS_PROXY: "http://proxy.example:3128",
      GRADLE_OPTS: "-Xmx2g",
    }, `-Xmx2g ${PROXY}`],
    ["with a proxy of the person's own", {
      HTTPS_PROXY: "http://proxy.example:3128",
      GRADLE_OPTS: "-Dhttps.proxyHost=mine",
    }, "-Dhttps.proxyHost=mine"],
    [
      "without a login that a shell would read",
      { HTTPS_PROXY: "http://jo:a%20b@proxy.example:3128" },
      PROXY,
    ],
    [
      "without a login that has a stray percent sign",
      { HTTPS_PROXY: "http://jo:10%@proxy.example:3128" },
      PROXY,
    ],
    ["with what is no proxy", { HTTPS_PROXY: "proxy example" }, undefined],
  ] as const
) {
  test(`withGradleProxy() ${title}`, () => assert.equal(withGradleProxy(env)["GRADLE_OPTS"], want));
}
