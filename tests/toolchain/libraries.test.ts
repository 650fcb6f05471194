import assert from "node:assert/strict";
import { test } from "node:test";
import { createToolchain, PINS } from "../../lib/toolchain/mod.ts";
import { missingLibraries } from "../../lib/toolchain/find/libraries.ts";
import { answer, type Entry, machine } from "./machine.ts";

const BOTH = ["libva.so.2", "libva-drm.so.2"];
const CACHE = "/etc/ld.so.cache";
const list = (...names: readonly string[]) => `glibc-ld.so.cache1.1\0${names.join("\0")}\0`;

for (
  const [title, entries, missing, options = {}] of [
    ["the loader lists both", { [CACHE]: list("libz.so.1", ...BOTH) }, []],
    [
      "the loader lists only their paths, as glibc 2.33 does",
      { [CACHE]: list("/opt/va/libva.so.2", "/opt/va/libva-drm.so.2") },
      [],
    ],
    ["the loader lists one", { [CACHE]: list("libva.so.2") }, ["libva-drm.so.2"]],
    [
      "the loader lists others of that beginning",
      { [CACHE]: list("libva.so.2.1", "xlibva.so.2") },
      BOTH,
    ],
    ["there is no list, and a folder has both", {
      "/usr/lib64/libva.so.2": "",
      "/usr/lib64/libva-drm.so.2": "",
    }, []],
    [
      "a folder of the processor has both",
      {
        "/usr/lib/aarch64-linux-gnu/libva.so.2": "",
        "/usr/lib/aarch64-linux-gnu/libva-drm.so.2": "",
      },
      [],
      { arch: "arm64" },
    ],
    [
      "LD_LIBRARY_PATH has both",
      {
        [CACHE]: list(),
        "/opt/va/libva.so.2": "",
        "/opt/va/libva-drm.so.2": "",
      },
      [],
      { env: { LD_LIBRARY_PATH: "lib:/opt/va" } },
    ],
    [
      "nix-ld has both, in the folder of the system",
      {
        "/lib64/ld-linux-x86-64.so.2": "",
        "/run/current-system/sw/share/nix-ld/lib/libva.so.2": "",
        "/run/current-system/sw/share/nix-ld/lib/libva-drm.so.2": "",
      },
      [],
    ],
    [
      "nix-ld has both, in a folder that a shell names",
      {
        "/lib64/ld-linux-x86-64.so.2": "",
        "/nix/store/a-libva/lib/libva.so.2": "",
        "/nix/store/b-libva/lib/libva-drm.so.2": "",
      },
      [],
      { env: { NIX_LD_LIBRARY_PATH: "/nix/store/a-libva/lib:/nix/store/b-libva/lib" } },
    ],
    ["there is neither", { "/usr/lib/libc.so.6": "" }, BOTH],
    ["nothing can be told", {}, []],
    ["it is another system", { [CACHE]: list() }, [], { platform: "darwin" }],
  ] satisfies readonly (readonly [
    string,
    Record<string, Entry>,
    readonly string[],
    Parameters<typeof machine>[0]?,
  ])[]
) {
  test(`missingLibraries() where ${title} (TOOL-18)`, async () => {
    const on = machine({ ...options, entries });
    const pin = { artifacts: [], unpackedBytes: 0, libraries: BOTH };
    assert.deepEqual(await missingLibraries(pin, on), missing);
  });
}

test("no installation is offered or begun that a library of the system is missing for (TOOL-18)", async () => {
  const on = machine({
    entries: { [CACHE]: list("libva.so.2") },
    run: answer("", "", 1),
  });
  const toolchain = createToolchain({ ...on, pins: PINS });
  const { tools, installable } = await toolchain.status();
  for (const id of ["ffmpeg", "ffprobe"] as const) {
    const tool = tools.find((each) => each.id === id);
    assert.match(
      tool?.reason ?? "",
      /; the one that could be installed needs libva-drm\.so\.2, which this system does not have$/,
    );
    assert.deepEqual([tool?.canAutoInstall, tool?.fix], [
      false,
      `npx slipway toolchain guide ${id}`,
    ]);
    assert.match(tool?.guide?.steps.join("\n") ?? "", /libva2 and libva-drm2/);
    assert.ok(!installable.ids.includes(id));
  }
});
