import { ok, type Result } from "../../core/result.ts";
import { scrubbedEnvironment, withFolders } from "../../programs/mod.ts";
import { expandPlaces } from "../find/places.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { RUBY_FOLDERS } from "../tools/cocoapods.ts";
import { failInstall, type InstallFailure } from "../work/failure.ts";
import type { BuildContext, Built } from "./recipe.ts";
import { runRecipeStep } from "./steps.ts";

const GEMS_MS = 10 * 60_000;

/** Installs CocoaPods from pinned gem files, none fetched by the gem program itself. */
export async function buildCocoapods(
  context: BuildContext,
): Promise<Result<Built, InstallFailure>> {
  const { folder, host, staging, syncStat, pin } = context;
  const { paths } = folder;
  const bin = (await expandPlaces(RUBY_FOLDERS, folder.root, context))
    .find((folder) => syncStat(folder).kind === "directory");
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
  const home = staging.at("cocoapods-gems");
  const around = withFolders(scrubbedEnvironment(host.environment()), [bin], host.platform);
  const installed = await runRecipeStep({
    command: paths.join(bin, "ruby"),
    args: [
      paths.join(bin, "gem"),
      "install",
      "--norc", // the user's own settings would install elsewhere
      "--local",
      "--ignore-dependencies", // the pins are meant to be complete; the test of the tool shows it
      "--no-document",
      "--env-shebang",
      "--install-dir",
      home,
      "--bindir",
      paths.join(home, "bin"),
      ...gems,
    ],
    cwd: staging.root,
    env: { ...around, GEM_HOME: home, GEM_PATH: home, LANG: "en_US.UTF-8" },
    purpose: "install the gems of CocoaPods",
    timeoutMs: GEMS_MS,
    next: "Read the lines above; gems are compiled by Xcode's Command Line Tools: run " +
      "'xcode-select --install', then install again",
  }, context);
  if (!installed.ok) return installed;
  return ok({ places: ["cocoapods-gems"], entries: ["cocoapods-gems/bin/pod"] });
}
