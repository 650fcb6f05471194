import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
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

// The life cycle of an iOS app, as UIKit and Capacitor 7 and 8 report it, over the plugin's own sources:
// how often a launch is decided, how often a page is loaded, and which page confirms which launch.

const skip = skipWithoutIosApp();
const scratch = mkdtempSync(join(tmpdir(), "slipway-ios-"));
afterTests(() => rmSync(scratch, { recursive: true, force: true }));
const phones = skip === false ? await makePhones(scratch) : null;

const SCENES: JsonObject = { UIApplicationSceneManifest: {} };
const LOADS = "one loads capacitor://localhost";
const page: Step = ["web", "one", "all"];
const confirms: Step = ["runs", "one", "confirms"];

/** The start of an app with a scene delegate: Capacitor 8.5 and later, and apps migrated to it. */
const SCENE_START: readonly Step[] = [
  ["connect", "main"],
  ["view", "one", "main"],
  ["scene", "main", "enterForeground"],
  ["application", "willEnterForeground"],
  page,
  ["scene", "main", "activate"],
  ["application", "didBecomeActive"],
];
/** The start of an app with only an app delegate: Capacitor 7, and 8.0 to 8.4. */
const DELEGATE_START: readonly Step[] = [
  ["connect", "main"],
  ["view", "one", "main"],
  ["scene", "main", "enterForeground"],
  page,
  ["scene", "main", "activate"],
  ["application", "didBecomeActive"],
];
/** The page calls `restart()` before it has loaded. */
const RESTARTED_WHILE_LOADING: readonly Step[] = [
  ["connect", "main"],
  ["view", "one", "main"],
  ["scene", "main", "enterForeground"],
  ["web", "one", "decide"],
  ["web", "one", "commit"],
  ["restart", "one"],
];
/** A second window is opened. */
const SIDE_START: readonly Step[] = [
  ["connect", "side"],
  ["view", "two", "side"],
  ["scene", "side", "enterForeground"],
  ["web", "two", "all"],
];
const SIDE_SHOWN = ["two loads capacitor://localhost", "two shows v2, a launch of v2"];
/** A push or a fetch starts the process of an app without scenes: its page is not seen. */
const PUSHED: readonly Step[] = [["view", "one"], page];
/** The player opens it. */
const OPENED: readonly Step[] = [
  ["connect", "main"],
  ["attach", "one", "main"],
  ["application", "willEnterForeground"],
  ["scene", "main", "enterForeground"],
  ["application", "didBecomeActive"],
  ["scene", "main", "activate"],
];

/** The files of the phone: v1 in use, and v2 absent, staged, or pending. */
type Phone = "settled" | "staged" | "trial";

interface Trace {
  readonly name: string;
  readonly phone: Phone;
  readonly app?: AppOptions;
  readonly steps: readonly Step[];
  readonly events: readonly string[];
  /** Attempts and confirmations of v2, if it is still on trial. */
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
    name: "pushes alone use up no attempt", // code-push #2318, #2677
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
      ...SIDE_START,
      confirms,
      ["runs", "two", "confirms"],
    ],
    events: [...ONE_START, ...SIDE_SHOWN],
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
    name: "into the background and back", // peanut-ui #2986: no timer that is due after a freeze
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
    name: "restart() into a staged version: the page that goes confirms nothing", // capawesome #969
    phone: "staged",
    app: { info: SCENES, plugins: ["SplashScreen"] },
    steps: [
      ...SCENE_START,
      ["call", "one", "activate", { name: "shell", version: "v2" }],
      ["restart", "one"],
      ["web", "one", "decide"],
      confirms,
      ["runs", "one", "asks and confirms"],
    ],
    events: [LOADS, "records v1", "one shows v1, a launch of v1", LOADS, "records v2"],
    trial: [1, 0],
  },
  {
    name: "restart() into a staged version: the page that comes confirms",
    phone: "staged",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ["call", "one", "activate", { name: "shell", version: "v2" }],
      ["restart", "one"],
      page,
      confirms,
    ],
    events: [LOADS, "records v1", "one shows v1, a launch of v1", ...ONE_START],
    trial: [1, 1],
  },
  {
    name: "restart() and a last window that is closed are no strikes", // DEV-55
    phone: "settled",
    app: { info: SCENES, config: { backOnTrial: true } },
    steps: [
      ...SCENE_START,
      ["restart", "one"],
      page,
      ["restart", "one"],
      page,
      ["scene", "main", "enterBackground"],
      ["scene", "main", "disconnect"],
      ["close", "one"],
      ...SCENE_START,
    ],
    events: [1, 2, 3, 4].flatMap(() => [LOADS, "records v1", "one shows v1, a launch of v1"]),
  },
  {
    name: "restart() while the page still loads: no load cancels another",
    phone: "trial",
    steps: [
      ...RESTARTED_WHILE_LOADING,
      ["application", "didBecomeActive"],
      ["web", "one", "finish"],
      page,
      confirms,
    ],
    events: [...ONE_START, LOADS, "records v2", "one shows v2, a launch of v2"],
    trial: [2, 1],
  },
  {
    name: "restart() by a second tap: one launch", // until the page that comes is there
    phone: "trial",
    app: { info: SCENES, plugins: ["SplashScreen"] },
    steps: [
      ...SCENE_START,
      ["restart", "one"],
      ["restart", "one"],
      ["web", "one", "decide"],
      ["restart", "one"],
      ["web", "one", "commit"],
      ["web", "one", "finish"],
      page,
      confirms,
    ],
    events: [...ONE_START, ...ONE_START],
    trial: [2, 1],
  },
  {
    name:
      "restart() by a page of which not all has come yet: a launch, and no load cancels another",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ["restart", "one"],
      ["web", "one", "decide"],
      ["web", "one", "commit"],
      ["restart", "one"], // of the page that has come
      ["restart", "one"],
      ["web", "one", "finish"],
      page,
      confirms,
    ],
    events: [...ONE_START, ...ONE_START, ...ONE_START],
    trial: [3, 1],
  },
  {
    name: "restart() by a page that never loads to its end, in an app without an error page",
    phone: "trial",
    app: { info: SCENES, errorPath: null },
    steps: [
      ...SCENE_START,
      ["restart", "one"],
      ["web", "one", "decide"],
      ["web", "one", "commit"],
      ["restart", "one"],
      page,
      confirms,
    ],
    events: [...ONE_START, ...ONE_START, ...ONE_START],
    trial: [3, 1],
  },
  {
    name: "restart() to a page that cannot be loaded, and again: the page of that launch",
    phone: "trial",
    app: { info: SCENES, errorPath: null },
    steps: [
      ...SCENE_START,
      ["restart", "one"],
      ["web", "one", "decide"],
      ["web", "one", "fail"],
      ["restart", "one"], // by the page that was to go
      page,
      confirms,
    ],
    events: [...ONE_START, LOADS, "records v2", LOADS, "one shows v2, a launch of v2"],
    trial: [2, 1],
  },
  {
    name: "restart() by the error page that came instead: a launch",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ["restart", "one"],
      ["web", "one", "decide"],
      ["web", "one", "fail"],
      page,
      ["restart", "one"],
      page,
      confirms,
    ],
    events: [
      ...ONE_START,
      LOADS,
      "records v2",
      "one loads capacitor://localhost/error.html",
      "one shows , a launch of v2",
      ...ONE_START,
    ],
    trial: [3, 1],
  },
  {
    name: "restart() to a page that another plugin refuses, and again: the page of that launch",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ["restart", "one"],
      ["refuse"],
      ["web", "one", "decide"],
      ["restart", "one"],
      page,
      confirms,
    ],
    events: [...ONE_START, LOADS, "records v2", LOADS, "one shows v2, a launch of v2"],
    trial: [2, 1],
  },
  {
    name: "restart() while the page goes elsewhere: its load was dropped, and is asked for again",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ["restart", "one"],
      ["leave", "one", "https://example.com/"], // the system's browser opens it
      page,
      ["restart", "one"],
      ["place", "one", "capacitor://localhost#level"],
      page,
      confirms,
    ],
    events: [...ONE_START, LOADS, ...ONE_START, LOADS, ...ONE_START],
    trial: [3, 1],
  },
  {
    name: "restart() to a page whose process ends: Capacitor loads it, and it can restart",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ["restart", "one"],
      ["web", "one", "decide"],
      ["web", "one", "terminate"],
      page,
      ["restart", "one"],
      page,
      confirms,
    ],
    events: [
      ...ONE_START,
      LOADS,
      "records v2",
      LOADS,
      "one shows v2, a launch of v2",
      ...ONE_START,
    ],
    trial: [3, 1],
  },
  {
    name:
      "restart() whose splash never comes: the next one is not held up, and it ends no other launch",
    phone: "trial",
    app: { info: SCENES, plugins: ["SplashScreen"] },
    steps: [
      ...SCENE_START,
      ["splash", "hangs"],
      ["restart", "one"],
      ["splash", "comes"],
      ["restart", "one"],
      page,
      confirms,
    ],
    events: [...ONE_START, ...ONE_START],
    trial: [2, 1],
  },
  {
    name: "restart() whose window is closed meanwhile can be called in another",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ...SIDE_START,
      ["restart", "one"],
      ["scene", "main", "enterBackground"],
      ["scene", "main", "disconnect"],
      ["close", "one"],
      ["web", "two", "all"],
      ["restart", "two"],
      ["web", "two", "all"],
      ["runs", "two", "confirms"],
    ],
    events: [
      ...ONE_START,
      ...SIDE_SHOWN,
      LOADS,
      ...[1, 2].flatMap(() => [
        "two loads capacitor://localhost",
        "records v2",
        "two shows v2, a launch of v2",
      ]),
    ],
    trial: [3, 1],
  },
  {
    name: "restart() in two windows at once: one launch",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ...SIDE_START,
      ["restart", "one"],
      ["restart", "two"],
      page,
      ["web", "two", "all"],
      ["runs", "two", "confirms"],
    ],
    events: [
      ...ONE_START,
      ...SIDE_SHOWN,
      LOADS,
      "two loads capacitor://localhost",
      "records v2",
      "one shows v2, a launch of v2",
      "two shows v2, a launch of v2",
    ],
    trial: [2, 1],
  },
  {
    name: "a hidden page is loaded when it is shown after another window's restart()",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ...SIDE_START,
      ["scene", "side", "enterBackground"],
      ["restart", "one"],
      page,
      ["runs", "two", "confirms"], // of the launch that ended
      ["scene", "side", "enterForeground"],
      ["scene", "side", "activate"],
      ["web", "two", "all"],
      ["runs", "two", "confirms"],
    ],
    events: [
      ...ONE_START,
      ...SIDE_SHOWN,
      ...ONE_START,
      "two loads capacitor://localhost",
      "two shows v2, a launch of v2",
    ],
    trial: [2, 1],
  },
  {
    name: "restart() of a page that is hidden meanwhile can be called again elsewhere",
    phone: "trial",
    app: { info: SCENES },
    steps: [
      ...SCENE_START,
      ...SIDE_START,
      ["scene", "main", "enterBackground"],
      ["restart", "one"],
      ["web", "two", "all"],
      ["restart", "two"],
      ["web", "two", "all"],
      ["runs", "two", "confirms"],
    ],
    events: [
      ...ONE_START,
      ...SIDE_SHOWN,
      ...[1, 2].flatMap(() => [
        "two loads capacitor://localhost",
        "records v2",
        "two shows v2, a launch of v2",
      ]),
    ],
    trial: [3, 1],
  },
  {
    name: "a link to a place in the page that restart() is to load anew", // decided, and nothing is loaded
    phone: "trial",
    steps: [
      ...RESTARTED_WHILE_LOADING,
      ["place", "one", "capacitor://localhost#level"],
      ["web", "one", "finish"],
      page,
      confirms,
    ],
    events: [...ONE_START, LOADS, "records v2", "one shows v2, a launch of v2"],
    trial: [2, 1],
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
      const running = await startIosApp(home, app);
      for (const step of steps) {
        const answer = await running.take(step);
        if (step[0] === "restart") assert.deepEqual(answer, { resolved: {} }); // also one too many
      }
      assert.deepEqual(running.events, events);
      const { pending, bootAttempts, confirmedBoots, active } = running.record("state");
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
      await running.kill();
    }));
}

test(
  "the iOS bridge: a version that hangs before its first frame is taken back at the fourth start",
  {
    skip,
  },
  () =>
    onPhone("trial", async (home) => { // hot-updater #1321
      const shown: (string | undefined)[] = [];
      for (let start = 0; start < 4; start++) {
        const app = await startIosApp(home, { info: SCENES });
        for (const step of SCENE_START) await app.take(step);
        shown.push(app.events.at(-1));
        await app.kill();
      }
      const v2 = "one shows v2, a launch of v2";
      assert.deepEqual(shown, [v2, v2, v2, "one shows v1, a launch of v1"]);
    }),
);

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

/** Whether downloads continue after each step. */
const SHOWN: readonly (readonly [step: Step, isShown: boolean])[] = [
  ...SCENE_START.slice(0, 4).map((step): [Step, boolean] => [step, true]),
  [page, true],
  [["scene", "main", "activate"], true], // no notification of the whole app came
  [["scene", "main", "enterBackground"], false],
  [["application", "willEnterForeground"], false], // another scene of the app, of CarPlay
  [["scene", "main", "enterForeground"], true],
  ...SIDE_START.map((step): [Step, boolean] => [step, true]),
  [["scene", "main", "enterBackground"], true],
  [["scene", "side", "enterBackground"], false],
  [["scene", "side", "enterForeground"], true],
  [["scene", "side", "disconnect"], false],
];

test(
  "the iOS bridge: downloads go on while a page of the app is seen",
  { skip },
  () =>
    onPhone("settled", async (home) => {
      const app = await startIosApp(home, { info: SCENES });
      for (const [step, isShown] of SHOWN) {
        await app.take(step);
        if (step[0] === "connect" && isShown && app.events.length === 0) continue; // no view yet
        const facts = await app.take(["plugin", "one"]);
        assert.deepEqual(isJsonObject(facts) && facts["isShown"], isShown, JSON.stringify(step));
      }
      await app.kill();
    }),
);

for (const [pid, owner] of [[process.pid, "another app's process"], [1, "the system"]] as const) {
  test(
    `the iOS bridge: a lock whose process id now belongs to ${owner} holds up no launch (DEV-57)`,
    { skip },
    () =>
      onPhone("trial", async (home) => {
        const token = `${pid}-0123456789abcdef01234567-${crypto.randomUUID()}`;
        writeFileSync(join(home, "Library/NoCloud/slipway-ota/.lock"), token);
        const app = await startIosApp(home, { info: SCENES });
        for (const step of SCENE_START) await app.take(step);
        assert.deepEqual(app.events, ONE_START); // a launch that waits in vain records nothing
        await app.kill();
      }),
  );
}

test(
  "the iOS bridge: a path that was persisted for Capacitor is taken away",
  { skip },
  () =>
    onPhone("settled", async (home) => { // Cap-go #777, ionic-team/capacitor #8336
      const app = await startIosApp(home);
      await app.take(["view", "one"]);
      const facts = await app.take(["plugin", "one"]);
      assert.deepEqual(isJsonObject(facts) && facts["deleted"], ["serverBasePath"]);
      await app.kill();
    }),
);

/** What restart() runs in the document that asks. */
const TOKEN = "return globalThis.slipwayLaunch?.token ?? '';";

for (
  const [plugins, evaluated] of [
    [[], [TOKEN]],
    [["SplashScreen"], [
      "Capacitor.nativePromise('SplashScreen', 'hide', {})",
      "await Capacitor.nativePromise('SplashScreen', 'show', { autoHide: false }).catch(() => {}); " +
      TOKEN,
    ]],
  ] as const
) {
  test(
    `the iOS bridge: the splash goes with confirmBoot() and comes with restart(), in an app with ${
      plugins[0] ?? "no such plugin"
    }`,
    { skip },
    () =>
      onPhone("trial", async (home) => {
        const app = await startIosApp(home, { plugins });
        for (const step of [...DELEGATE_START, confirms, ["restart", "one"]] as const) {
          await app.take(step);
        }
        const facts = await app.take(["plugin", "one"]);
        assert.deepEqual(isJsonObject(facts) && facts["evaluated"], evaluated);
        assert.equal(app.events.at(-1), LOADS);
        await app.kill();
      }),
  );
}

test(
  "the iOS bridge: where the boot hook did not run, nothing is staged or restarted",
  { skip },
  () =>
    onPhone("settled", async (home) => {
      const app = await startIosApp(home, { serverURL: "http://192.168.0.2:3000" });
      for (const step of DELEGATE_START) await app.take(step);
      const staged = await app.call("one", "stageUpdate", {});
      assert.deepEqual([staged["ok"], staged["code"]], [false, "invalid"]);
      assert.match(String(staged["detail"]), /^Cannot stage: the boot hook did not run/);
      const restarted = await app.take(["restart", "one"]);
      assert.ok(isJsonObject(restarted));
      assert.equal(restarted["code"], "invalid");
      assert.match(String(restarted["rejected"]), /^Cannot restart: the boot hook did not run/);
      await app.kill();
    }),
);

async function onPhone(phone: Phone, work: (home: string) => Promise<void>) {
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
