import { z } from "zod";
import { ok } from "../../core/result.ts";
import type { PhoneAction, PhoneState } from "../../project/mod.ts";
import { choice, flag } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

// The simulated phone shows a project's updates without a device. Rarely used.

/** Default number of story events. */
const LAST = 8;
const ACTIONS = [
  "start",
  "kill",
  "check",
  "back",
  "reset",
  "publish",
  "publish-broken",
] as const satisfies readonly PhoneAction[];
const SOURCES = ["trial", "project"] as const;

/** `phone_state`. */
const phoneState: Tool = defineTool({
  name: "phone_state",
  route: "/api/phone",
  purpose: "The simulated phone: its versions, its update, past events",
  defaultShape: `all, the last ${LAST} events; page= is for a frame of the editor's page`,
  parameters: z.object({ story: flag("all kept events") }),
  drillDown: { story: "all events" },
  annotations: READ_ONLY,

  async produce(services) {
    const phone = servicePart(services, "phone");
    return phone.ok ? ok(await phone.value.state()) : phone;
  },

  summarize: (state, { story }) => ok(story === true ? state : lastOf(state)),
});

/** `phone_do`. */
const phoneDo: Tool = defineTool({
  name: "phone_do",
  route: "/api/phone/do",
  routeKind: "body",
  purpose: "Acts on the simulated phone, a device in a folder; players see none of it. " +
    "An app starts in the frame of the editor's page: without one open nothing confirms it",
  defaultShape: "its state",
  parameters: z.object({
    action: choice(ACTIONS, "start installs a missing app; publish: to a private bucket"),
    source: choice(
      SOURCES,
      "source of an installed app's updates; trial: a private bucket",
    ),
    network: flag("0 pulls it"),
    diskFull: flag("the disk is full"),
    breakBoot: flag("the next start fails"),
  }),
  drillDown: { action: "one" },
  annotations: { destructiveHint: true },

  async produce(services, request, { signal }) {
    const phone = servicePart(services, "phone");
    if (!phone.ok) return phone;
    const { action, network, diskFull, breakBoot } = request;
    if ([action, network, diskFull, breakBoot].every((asked) => asked === undefined)) {
      return refuseMissing("phone_do", "action", "action=start; phone_state returns its state");
    }
    return await phone.value.act(request, signal);
  },

  summarize: (state) => ok(lastOf(state)),
});

function lastOf(state: PhoneState): PhoneState {
  return { ...state, story: state.story.slice(-LAST) };
}

/** The tools of the simulated phone. */
export const PHONE_TOOLS: readonly Tool[] = [phoneState, phoneDo];
