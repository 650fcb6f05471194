// Subjects of tests that load nearly everything: they start programs, or a complete service, to
// test a part of them. After a change, the quick run has such a test if its subject changed;
// `--all` has each.

/** Paths that every test depends on, besides the tests' own files. */
const BELOW = ["adapters/", "lib/core/", "lib/ports/", "lib/service/", "scripts/", "tests/"];

const UPDATES = ["lib/archive/", "lib/ota-"];
const TOOLS = ["lib/archive/", "lib/programs/", "lib/toolchain/"];
const PROJECTS = ["lib/project/", "native/"];
const DEVICES = ["lib/device-bridge/", "lib/devices/", "lib/programs/"];
const SERVICE = ["lib/agent/", "lib/http/"];
const EDITING = ["lib/editor/", "lib/game/"];
const FILES = [...EDITING, "lib/archive/"];
const GAMES = [...PROJECTS, ...UPDATES, ...EDITING, "lib/game-web/"];

/** The beginning of a test's path → the beginnings of its subject's; the longest beginning counts. */
export const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  "tests/agent/": [...SERVICE, ...EDITING, ...DEVICES, ...PROJECTS],
  "tests/agent/ota.": ["lib/agent/", "lib/toolchain/", ...PROJECTS, ...UPDATES],
  "tests/agent/refused.": [...SERVICE, ...PROJECTS, ...DEVICES, "lib/editor/"],
  "tests/agent/tokens.": ["lib/agent/", "lib/toolchain/"],
  "tests/captures/": ["lib/device-bridge/", "lib/http/", "lib/project/captures/"],
  "tests/captures/window.": ["lib/page/", "lib/project/captures/"],
  "tests/contract/": [
    ...[...UPDATES, ...EDITING, "lib/project/", "lib/programs/", "lib/http/", "lib/device-bridge/"],
  ],
  "tests/devices/": [...DEVICES, ...SERVICE],
  "tests/devices/published.": [...DEVICES, ...SERVICE, ...PROJECTS, ...UPDATES, "lib/toolchain/"],
  "tests/editor/": FILES,
  "tests/editor/chains.": [...EDITING, "lib/agent/"],
  "tests/editor/sample.": [...FILES, "lib/project/"],
  "tests/editor/swapped-links.": [...FILES, "lib/project/"],
  "tests/editor/untrusted-files.": [...FILES, "lib/project/"],
  "tests/game/": ["lib/game/", "lib/game-web/", "lib/editor/", "lib/agent/"],
  "tests/gate/": ["ARCHITECTURE.md", "README.md", "lib/editor/sample/", "native/", "vectors/"],
  "tests/gate/inputs.": ["lib/", "native/", "vectors/"], // it reads the dependencies in this checkout
  "tests/http/": [...SERVICE, "lib/device-bridge/"],
  "tests/http/changes.": [...SERVICE, ...EDITING],
  "tests/http/follow.": [...SERVICE, ...EDITING, "lib/game-web/content/", "lib/project/content/"],
  "tests/http/ota.": ["lib/http/", "lib/project/", ...UPDATES],
  "tests/http/page.": [...SERVICE, "lib/project/"],
  "tests/http/toolchain.": ["lib/http/", "lib/project/", "lib/ota-format/", ...TOOLS],
  "tests/http/uploads.": [...SERVICE, "lib/editor/", "lib/project/"],
  "tests/http/whole.": [...SERVICE, ...EDITING],
  "tests/project/": GAMES,
  "tests/project/build-app.": [...GAMES, ...TOOLS],
  "tests/project/build-game.": ["lib/"], // it pins every byte of a built game
  "tests/project/build-target.": [...PROJECTS, ...TOOLS, "lib/ota-format/"],
  "tests/project/keys.": [...GAMES, "lib/toolchain/"],
  "tests/project/models.": [...PROJECTS, "lib/editor/", "lib/toolchain/"],
  "tests/project/phone.": [...PROJECTS, ...DEVICES, ...UPDATES],
  "tests/project/plan-projects.": [...GAMES, "lib/toolchain/"],
  "tests/project/preflight-shared.": [...GAMES, "lib/toolchain/"],
  "tests/project/publish": [...PROJECTS, ...UPDATES, "lib/toolchain/"],
  "tests/project/selected-versions.": [...GAMES, ...TOOLS],
  "tests/project/status.": [...GAMES, "lib/toolchain/"],
  "tests/project/step-program.": [...GAMES, ...TOOLS],
  "tests/project/upkeep.": [...GAMES, "lib/toolchain/"],
  "tests/project/windows-shims.": [...GAMES, ...TOOLS],
  "tests/scripts/": ["lib/project/"],
  "tests/scripts/ota-": [
    ...UPDATES,
    ...["lib/project/audit/", "lib/project/jobs/", "lib/project/served/"],
  ],
  "tests/scripts/printed-commands.": ["lib/"], // it reads the messages of all sources
  "tests/scripts/slipway.": ["lib/project/", ...TOOLS],
  "tests/scripts/terminal.": ["lib/project/", ...TOOLS],
  "tests/toolchain/script.": TOOLS,
};

/** Returns the subject of a test; `undefined` if it is everything that the test loads. */
export function subjectOf(file: string): readonly string[] | undefined {
  const [longest] = Object.keys(SUBJECTS).filter((beginning) => file.startsWith(beginning))
    .toSorted((a, b) => b.length - a.length);
  return longest === undefined ? undefined : [...BELOW, ...SUBJECTS[longest] ?? []];
}
