import { ok, type Result } from "../../core/result.ts";
import { joinPath } from "../../programs/host-paths.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { expandPlaces } from "../find/places.ts";
import { scrubbedEnvironment, withFolders } from "../find/probe.ts";
import { failInstall, type InstallFailure } from "../work/failure.ts";
import type { BuildContext, Built, Recipe } from "./recipe.ts";
import { runProgram, unpack } from "./steps.ts";

/** The Ruby that CocoaPods runs on, apart from whatever else is on the machine (spec §4.8). */
export const RUBY_RECIPE: Recipe = {
  id: "ruby",
  title: `Ruby ${PINNED_VERSIONS.ruby}`,
  version: PINNED_VERSIONS.ruby,
  tools: [],
  licences: ["ruby"],
  folders: ["ruby"],
  needsNpm: false,
  before: [],
  triesTwice: false,
  build: buildRuby,
};

/** CocoaPods from pinned gem files, none fetched by the gem program itself. */
export const COCOAPODS_RECIPE: Recipe = {
  id: "cocoapods",
  title: `CocoaPods ${PINNED_VERSIONS.cocoapods}`,
  version: PINNED_VERSIONS.cocoapods,
  tools: ["cocoapods"],
  licences: ["cocoapods"],
  folders: ["cocoapods-gems"],
  runs: ["ruby gem install --local"],
  needsNpm: false,
  before: ["ruby"],
  triesTwice: false,
  build: buildGems,
};

const GEMS_MS = 10 * 60_000;
const RUBY_FOLDERS = {
  darwin: ["ruby/portable-ruby/*/bin"],
  linux: ["ruby/portable-ruby/*/bin"],
  win32: [],
};

async function buildRuby(context: BuildContext): Promise<Result<Built, InstallFailure>> {
  for (const artifact of context.pin.artifacts) {
    const archive = await context.download(artifact);
    if (!archive.ok) return archive;
    // The archive's own top folders are `portable-ruby/<version>`: they are kept.
    const unpacked = await unpack(archive.value, { into: "ruby", strip: 0 }, context);
    if (!unpacked.ok) return unpacked;
  }
  return ok({
    places: ["ruby"],
    entries: [`ruby/portable-ruby/${PINNED_VERSIONS.ruby}/bin/ruby`],
  });
}

async function buildGems(context: BuildContext): Promise<Result<Built, InstallFailure>> {
  const { host, staging, toolchainDir, pin } = context;
  const { platform } = host;
  const [bin] = await expandPlaces(RUBY_FOLDERS, toolchainDir, context);
  if (bin === undefined) {
    return failInstall(
      "not-installable",
      `Cannot install CocoaPods ${PINNED_VERSIONS.cocoapods}: the Ruby for it is not there`,
      "Install it again",
    );
  }
  const gems: string[] = [];
  for (const artifact of pin.artifacts) {
    const gem = await context.download(artifact);
    if (!gem.ok) return gem;
    gems.push(gem.value);
  }
  const home = joinPath(staging, "cocoapods-gems", platform);
  const around = withFolders(scrubbedEnvironment(host.environment()), [bin], platform);
  const installed = await runProgram({
    command: joinPath(bin, "ruby", platform),
    args: [
      joinPath(bin, "gem", platform),
      "install",
      "--norc", // the user's own settings would install elsewhere
      "--local",
      "--ignore-dependencies", // the pins are complete, and whether they are the test tells
      "--no-document",
      "--env-shebang",
      "--install-dir",
      home,
      "--bindir",
      joinPath(home, "bin", platform),
      ...gems,
    ],
    cwd: staging,
    env: { ...around, GEM_HOME: home, GEM_PATH: home, LANG: "en_US.UTF-8" },
    purpose: "install the gems of CocoaPods",
    timeoutMs: GEMS_MS,
    next: "Read the lines above; gems are compiled by Xcode's Command Line Tools: run " +
      "'xcode-select --install', then install again",
  }, context);
  if (!installed.ok) return installed;
  return ok({ places: ["cocoapods-gems"], entries: ["cocoapods-gems/bin/pod"] });
}
