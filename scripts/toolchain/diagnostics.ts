import { release } from "node:os";
import process from "node:process";
import { isRecord } from "../../lib/core/json.ts";
import { ok } from "../../lib/core/result.ts";
import { isSecret } from "../../lib/core/secrets.ts";
import type { Host } from "../../lib/ports/host.ts";
import { describeNetwork } from "../../lib/core/proxy.ts";
import { redacted } from "./redact.ts";
import { packageVersion } from "../shared/runtime.ts";
import { type Command, lookOf } from "./command.ts";
import { PROJECT_FLAGS } from "./project.ts";

/**
 * Environment variables that decide where tools are looked for; the report shows only the names of
 * all others.
 */
const SHOWN_VARIABLES = [
  /^SVC_/,
  /^(?:JAVA_HOME|ANDROID_HOME|ANDROID_SDK_ROOT|PATH|PATHEXT|XDG_DATA_HOME)$/i,
];
const NAMED = /^(?:SVC_.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|NODE_OPTIONS|RUBYOPT|GEM_HOME|GEM_PATH)$/;

/**
 * The command `diagnostics`: a report for whoever helps with a problem, safe to paste in public.
 */
export const diagnosticsCommand: Command = {
  doc: "a report to copy, without home folder, user name and passwords",
  flags: PROJECT_FLAGS,
  prepare: () =>
    ok(async (context) => {
      const { toolchain, runtime: { host } } = context;
      const report = {
        slipway: packageVersion(),
        runtime: runtimeName(),
        system: `${host.platform}-${host.arch} ${release()}`,
        environment: environmentOf(host),
        network: describeNetwork(host.environment()),
        status: await toolchain.status(lookOf(context)),
      };
      const value = redacted(report, { home: host.home, names: namesOf(host) });
      if (!isRecord(value)) throw new TypeError("a report is an object");
      return ok({ value, text: JSON.stringify(value, null, 2), code: 0 });
    }),
};

function environmentOf(host: Host): Record<string, string> {
  const shown = Object.entries(host.environment()).flatMap(([name, value]) => {
    // Passwords inside addresses are removed later, from the whole report.
    const isShown = SHOWN_VARIABLES.some((rule) => rule.test(name)) &&
      !isSecret(name.replace(/^SVC_/, ""), "");
    if (isShown) return [[name, value] as const];
    return NAMED.test(name) ? [[name, "(set)"] as const] : [];
  });
  return Object.fromEntries(shown.sort(([a], [b]) => a < b ? -1 : 1));
}

/** Returns every name by which the system knows the user. */
function namesOf(host: Host): readonly string[] {
  const names = [host.env("USER"), host.env("LOGNAME"), host.env("USERNAME"), host.user];
  return names.flatMap((name) => name === undefined ? [] : [name]);
}

function runtimeName(): string {
  const { deno, node } = process.versions;
  return deno === undefined ? `Node ${node}` : `Deno ${deno}`;
}
