import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isJsonObject, type JsonObject } from "../../lib/core/json.ts";
import { withFolder } from "../support/folder.ts";
import {
  type AppOptions,
  makePhones,
  runInDocument,
  skipWithoutIosApp,
  startIosApp,
  type Step,
} from "../support/ios-app.ts";

// The life of an iOS app, as UIKit and Capacitor 7 and 8 tell of it, over the plugin's own sources: how
// often a launch is decided, how often a page is loaded, and which page confirms which launch.

const skip = skipWithoutIosApp();
const scratch = mkdtempSync(join(tmpdir(), "slipway-ios-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const phones = skip === false ? await makePhones(scratch) : null;

const SCENES: JsonObject = { UIApplicationSceneManifest: {} };
const LOADS = "one loads capacitor://localhost";
const page: Step = ["web", "one", "all"];
const confirms: Step = ["runs", "one", "confirms"];

/** A start of an app that has a scene delegate: Capacitor 8.5 and later, and what was migrated to it. */
const SCENE_START: readonly Step[] = [
  ["connect", "main"],
  ["view", "one", "main"],
  ["scene", "main", "enterForeground"],
  ["application", "willEnterForeground"],
  page,
  ["scene", "main", "activate"],
  ["application", "didBecomeActive"],
];
/** A start of an app that has an app delegate alone: Capacitor 7, and 8.0 to 8.4. */
const DELEGATE_START: readonly Step[] = [
  ["connect", "main"],
  ["view", "one", "main"],
  ["scene", "main", "enterForeground"],
  page,
  ["scene", "main", "activate"],
  ["application", "didBecomeActive"],
];
/** A push or a fetch has started the process of an app without scenes: nobody sees its page. */
const PUSHED: readonly Step[] = [["view", "one"], page];
/** Its player opens it. */
const OPENED: readonly Step[] = [
  ["connect", "main"],
  ["attach", "one", "main"],
  ["application", "willEnterForeground"],
  ["scene", "main", "enterForeground"],
  ["application", "didBecomeActive"],
  ["scene", "main", "activate"],
];

interface Trace {
  readonly name: string;
  /** What lies on the phone: v1 in use, and for `trial` v2 to be tried. */
  readonly phone: "settled" | "trial";
  readonly app?: AppOptions;
  readonly steps: readonly Step[];
  readonly events: readonly string[];
  /** Attempts and confirmations of v2, where it is still on trial. */
  readonly trial?: readonly [attempts: number, confirmations: number];
}

const ONE_START = [LOADS, "records v2", "one shows v2, a launch of v2"];

const TRACES: readonly Trace[] = [
  {
    name: "Capacitor 7 and 8.0 to 8.4, an app delegate alone",
    phone: "trial",
    steps: [...DELEGATE_START, confirms],
    events: ONE_START,
    trial: [1, 1],
  },
  {
    name: "Capacitor 8.5 and later, a scene delegate", // ionic-team/capacitor #8536
    phone: "trial",
    app: { info: SCENES },
    steps: [...SCENE_START, confirms],
    events: ONE_START,
    trial: [1, 1],
  },
  {
    name: "a page that is asked for while its scene still connects",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ["connect", "main"],
      ["view", "one", "main"],
      page,
      ["scene", "main", "enterForeground"],
      ["scene", "main", "activate"],
      confirms,
    ],
    events: ONE_START,
    trial: [1, 1],
  },
  {
    name: "an app without scenes whose window has none before it is shown",
    phone: "settled",
    steps: [["view", "one"], page, ["application", "didBecomeActive"], confirms],
    events: [LOADS, "one shows v1, a launch of v1", "records v1"],
  },
  {
    name: "a view made by the storyboard and another by code", // Capacitor-plus #130, #141
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ["connect", "main"],
      ["view", "storyboard", "main"],
      ["view", "one", "main"],
      ["scene", "main", "enterForeground"],
      ["web", "storyboard", "all"],
      page,
      ["scene", "main", "activate"],
      ["runs", "storyboard", "confirms"],
      confirms,
    ],
    events: [
      "storyboard loads capacitor://localhost",
      LOADS,
      "records v2",
      "storyboard shows v2, a launch of v2",
      "one shows v2, a launch of v2",
    ],
    trial: [1, 1],
  },
  {
    name: "a storyboard's view that lies in no scene",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ["view", "storyboard"],
      ["web", "storyboard", "all"],
      ...SCENE_START,
      ["runs", "storyboard", "confirms"],
    ],
    events: [
      "storyboard loads capacitor://localhost",
      "storyboard shows v1, a launch of v1",
      ...ONE_START,
    ],
    trial: [1, 0],
  },
  {
    name: "a push starts the process, and its page is of what the launch serves: no load",
    phone: "settled",
    steps: [...PUSHED, ...OPENED, confirms],
    events: [LOADS, "one shows v1, a launch of v1", "records v1"],
  },
  {
    name: "a push starts the process, the page that goes confirms nothing", // Cap-go #907, OtaKit #39
    phone: "trial",
    steps: [...PUSHED, confirms, ...OPENED, confirms, ["runs", "one", "asks and confirms"]],
    events: [LOADS, "one shows v1, a launch of v1", "records v2", LOADS],
    trial: [1, 0],
  },
  {
    name: "a push starts the process, the page that comes confirms",
    phone: "trial",
    steps: [...PUSHED, ...OPENED, page, confirms, confirms],
    events: [
      LOADS,
      "one shows v1, a launch of v1",
      "records v2",
      LOADS,
      "one shows v2, a launch of v2",
    ],
    trial: [1, 1],
  },
  {
    name: "pushes alone use no attempt up", // code-push #2318, #2677
    phone: "trial",
    steps: [...PUSHED, confirms, ["web", "one", "reload"], page],
    events: [LOADS, "one shows v1, a launch of v1", LOADS, "one shows v1, a launch of v1"],
    trial: [0, 0],
  },
  {
    name: "of two windows that nobody sees, one is opened: the other confirms nothing",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ["connect", "main"],
      ["connect", "side"],
      ["view", "one", "main"],
      ["view", "two", "side"],
      ["scene", "main", "connectInBackground"],
      ["scene", "side", "connectInBackground"],
      page,
      ["web", "two", "all"],
      ["scene", "main", "enterForeground"],
      page,
      ["runs", "two", "confirms"],
      ["runs", "two", "asks and confirms"],
    ],
    events: [
      LOADS,
      "two loads capacitor://localhost",
      "one shows v1, a launch of v1",
      "two shows v1, a launch of v1",
      "records v2",
      LOADS,
      "one shows v2, a launch of v2",
    ],
    trial: [1, 0],
  },
  {
    name: "the other window is opened later: the same launch",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ["connect", "side"],
      ["view", "two", "side"],
      ["scene", "side", "enterForeground"],
      ["web", "two", "all"],
      confirms,
      ["runs", "two", "confirms"],
    ],
    events: [
      ...ONE_START,
      "two loads capacitor://localhost",
      "two shows v2, a launch of v2",
    ],
    trial: [1, 1],
  },
  {
    name: "a scene that is shown while its page loads unseen: no load cancels another",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ["connect", "main"],
      ["view", "one", "main"],
      ["scene", "main", "connectInBackground"],
      ["web", "one", "decide"],
      ["scene", "main", "enterForeground"],
      ["web", "one", "commit"],
      ["scene", "main", "activate"],
      ["web", "one", "finish"],
      page,
      confirms,
    ],
    events: [
      LOADS,
      "records v2",
      "one shows v1, a launch of v1",
      LOADS,
      "one shows v2, a launch of v2",
    ],
    trial: [1, 1],
  },
  {
    name: "the web content process ends, and Capacitor loads the page anew: the same launch",
    phone: "trial",
    app: { info: SCENES },
    steps: [...SCENE_START, confirms, ["web", "one", "terminate"], page, confirms],
    events: [...ONE_START, LOADS, "one shows v2, a launch of v2"],
    trial: [1, 1],
  },
  {
    name: "a page that loads itself anew: the same launch",
    phone: "trial",
    steps: [...DELEGATE_START, confirms, ["web", "one", "reload"], page, confirms],
    events: [...ONE_START, LOADS, "one shows v2, a launch of v2"],
    trial: [1, 1],
  },
  {
    name: "into the background and back",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ["scene", "main", "enterBackground"],
      ["application", "didEnterBackground"],
      ["scene", "main", "enterForeground"],
      ["application", "willEnterForeground"],
      ["scene", "main", "activate"],
      confirms,
    ],
    events: ONE_START,
    trial: [1, 1],
  },
  {
    name: "the last window is closed and another opened in the same process: a launch",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      confirms,
      ["scene", "main", "enterBackground"],
      ["scene", "main", "disconnect"],
      ["close", "one"],
      ...SCENE_START,
      confirms,
    ],
    events: [...ONE_START, ...ONE_START],
  },
  {
    name: "navigations of a frame inside the page",
    phone: "trial",
    steps: [
      ["connect", "main"],
      ["view", "one", "main"],
      ["frame", "one", "capacitor://localhost/frame.html"],
    ],
    events: [LOADS],
    trial: [0, 0],
  },
  {
    name: "live reload: a server decides what is shown",
    phone: "trial",
    app: { serverURL: "http://192.168.0.2:3000" },
    steps: [...DELEGATE_START, confirms],
    events: ["one loads http://192.168.0.2:3000", "one shows embedded"],
    trial: [0, 0],
  },
];

for (const { name, phone, app, steps, events, trial } of TRACES) {
  test(`the iOS bridge: ${name}`, { skip }, () =>
    onPhone(phone, async (home) => {
      const process = await startIosApp(home, app);
      for (const step of steps) await process.take(step);
      assert.deepEqual(process.events, events);
      const { pending, bootAttempts, confirmedBoots, active } = process.record("state");
      assert.deepEqual(
        { active, pending, trial: [countOf(bootAttempts), countOf(confirmedBoots)] },
        trial === undefined
          ? {
            active: { shell: phone === "trial" ? "v2" : "v1" },
            pending: undefined,
            trial: [0, 0],
          }
          : { active: { shell: "v1" }, pending: { shell: "v2" }, trial: [...trial] },
      );
      await process.kill();
    }));
}

test(
  "the iOS bridge: slipwayLaunch is frozen, and of the app's own documents alone",
  { skip },
  () =>
    onPhone("trial", async (home) => {
      const app = await startIosApp(home);
      for (const step of DELEGATE_START) await app.take(step);
      assert.equal(app.scripts("one").length, 1);
      const run = (href: string, script: string) => runInDocument(app.scripts("one"), href, script);
      const own = "capacitor://localhost/index.html";
      assert.equal(run(own, "Object.isFrozen(slipwayLaunch)"), true);
      assert.equal(run(own, "slipwayLaunch.version"), "v2");
      assert.equal(run("https://example.com/", "typeof slipwayLaunch"), "undefined");
      await app.kill();
    }),
);

async function onPhone(phone: "settled" | "trial", work: (home: string) => Promise<void>) {
  if (phones === null) return;
  await withFolder(async (folder) => {
    cpSync(join(scratch, "app"), join(folder, "app"), { recursive: true });
    cpSync(phones[phone], join(folder, "home"), { recursive: true });
    await work(join(folder, "home"));
  });
}

function countOf(counts: unknown): number {
  const count = isJsonObject(counts) ? counts["shell"] : 0;
  return typeof count === "number" ? count : 0;
}
