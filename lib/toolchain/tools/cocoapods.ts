import { COCOAPODS_PINS } from "../pins/cocoapods.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { RUBY_PINS } from "../pins/ruby.ts";
import { editorEnv, everywhere, HOMEBREW, SLOW_MS } from "./common.ts";
import type { BinaryDescriptor, Places } from "./descriptor.ts";
import { openLicence } from "./licences.ts";
import type { ToolPackage } from "./package.ts";

/** Folders of the programs of the editor's own Ruby. */
export const RUBY_FOLDERS: Places = everywhere(
  "ruby/portable-ruby/*/bin",
  "ruby/*/bin",
  "ruby/bin",
);

const GEM_INSTALL = `gem install cocoapods -v ${PINNED_VERSIONS.cocoapods}`;

/** Brings the libraries of iOS apps. */
export const COCOAPODS: BinaryDescriptor = {
  id: "cocoapods",
  kind: "binary",
  group: "iOS",
  names: ["pod"],
  env: editorEnv("SVC_COCOAPODS"),
  own: everywhere("cocoapods-gems/bin"),
  ownRuntime: {
    path: RUBY_FOLDERS,
    env: { GEM_HOME: "cocoapods-gems", GEM_PATH: "cocoapods-gems" },
  },
  wellKnown: HOMEBREW,
  probe: {
    args: ["--version"],
    stream: "stdout",
    accept: [0],
    version: /^(\d+\.\d+\.\d+\S*)\s*$/m,
    timeoutMs: SLOW_MS,
    // It refuses to print anything useful in another locale.
    env: { LANG: "en_US.UTF-8", COCOAPODS_DISABLE_STATS: "true" },
  },
  refuseSystem: "when-installable",
  provision: { kind: "install", package: "cocoapods" },
  pin: { version: PINNED_VERSIONS.cocoapods, comparable: true },
  onlyOn: "darwin",
  requiredFor: [],
  guide: ({ platform }) => ({
    title: "CocoaPods",
    url: "https://guides.cocoapods.org/using/getting-started.html",
    steps: platform === "darwin"
      ? [
        "Install Ruby 3.4 or an older 3.x (the one of macOS is too old): 'brew install ruby@3.4'.",
        `Run '${GEM_INSTALL}' with that Ruby.`,
        "Or set SVC_COCOAPODS to the absolute path of pod.",
        "Check: 'pod --version'.",
      ]
      : [
        "CocoaPods serves iOS builds, which need macOS: it is not needed on this machine.",
        `To use it here all the same: install Ruby, run '${GEM_INSTALL}' and set ` +
        "SVC_COCOAPODS to the absolute path of pod.",
      ],
  }),
};

/** The Ruby that CocoaPods runs on, apart from whatever else is on the machine (INST-8). */
export const RUBY_PACKAGE: ToolPackage = {
  id: "ruby",
  title: `Ruby ${PINNED_VERSIONS.ruby}`,
  version: PINNED_VERSIONS.ruby,
  tools: [],
  licences: [openLicence("ruby", {
    title: "Ruby",
    spdx: "BSD-2-Clause OR Ruby",
    url: "https://www.ruby-lang.org/en/about/license.txt",
    files: [],
  })],
  folders: ["ruby"],
  pins: RUBY_PINS,
  unpacking: {
    into: "ruby",
    strip: 0, // the archive's own top folders are `portable-ruby/<version>`: they are kept
    entries: () => [`portable-ruby/${PINNED_VERSIONS.ruby}/bin/ruby`],
  },
};

/** CocoaPods from pinned gem files, none fetched by the gem program itself. */
export const COCOAPODS_PACKAGE: ToolPackage = {
  id: "cocoapods",
  title: `CocoaPods ${PINNED_VERSIONS.cocoapods}`,
  version: PINNED_VERSIONS.cocoapods,
  tools: ["cocoapods"],
  licences: [openLicence("cocoapods", {
    title: "CocoaPods",
    spdx: "MIT",
    url: "https://github.com/CocoaPods/CocoaPods/blob/master/LICENSE",
    files: ["cocoapods-gems/gems/cocoapods-1*/LICENSE"],
  })],
  folders: ["cocoapods-gems"],
  runs: ["ruby gem install --local"],
  before: ["ruby"],
  pins: COCOAPODS_PINS,
};
