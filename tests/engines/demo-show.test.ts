import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import process from "node:process";
import { test } from "node:test";
import assert from "node:assert/strict";
import { STEPS } from "../../scripts/demo/steps.ts";
import { scriptCommand } from "../support/script.ts";
import { openChromium } from "./web-views.ts";

const { skip, open } = openChromium({ webgl: true, draws: false });

/** Goes a step on, and waits until it was told. @returns The page then, in words. */
const GO_ON = `const [steps, done] = arguments;
const find = (id) => document.getElementById(id);
const look = () => {
  if (!find("failure").hidden) return done(JSON.stringify({ failure: find("failure").textContent }));
  if (find("entries").children.length < steps || find("next").classList.contains("busy")) return;
  watching.disconnect();
  done(JSON.stringify({
    title: find("entries").querySelector("h2").textContent,
    next: find("next").textContent,
    states: [...find("versions").children].map((version) => version.querySelector("span").textContent),
    served: find("versions").querySelector(".served b")?.textContent ?? null,
  }));
};
const watching = new MutationObserver(look);
watching.observe(document, { subtree: true, childList: true, attributes: true });
if (steps > 1) dispatchEvent(new KeyboardEvent("keydown", { code: "KeyN" }));
look();`;

test(
  "demo --show tells the story in a page: a real game is played, updated, broken and reverted",
  { skip },
  async () => {
    const [command, args] = scriptCommand("demo", ["--show", "--no-open", "--json"]);
    const env = { ...process.env, npm_lifecycle_event: undefined };
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk) => said += chunk);
    const ended = new Promise((resolve) => child.once("close", resolve));
    const lines = createInterface(child.stdout);
    const printed = new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("close", () => reject(new Error(`It ended: ${said}`)));
    });
    try {
      const { ok, url } = JSON.parse(await printed);
      assert.equal(ok, true);
      await open(async (page) => {
        await page.navigate(url);
        const seen: { title: string; next: string; states: string[]; served: string | null }[] = [];
        for (const at of STEPS.keys()) {
          seen.push(JSON.parse(String(await page.executeAsync(GO_ON, [at + 1]))));
        }
        assert.deepEqual(seen.map(({ title }) => title), STEPS.map(({ title }) => title));
        assert.deepEqual(
          seen.map(({ next }) => next),
          [...STEPS.slice(1).map(({ button }) => button), "That is the story"],
        );
        assert.deepEqual(seen.map(({ served }) => served), [
          null,
          ...["v1", "v1", "v1", "v2", "v2", "v2", "v2", "v3", "v3", "v3", "v2"],
        ]);
        assert.deepEqual(seen.map(({ states }) => states.join("; ")), [
          "published; not yet there; not yet there",
          "in the app; not yet there; not yet there",
          "in the app; published; not yet there",
          "in the app; staged; not yet there",
          "in the app; on trial, confirmed 1 of 2; not yet there",
          "in the app; trusted; not yet there",
          "in the app; trusted; published",
          "in the app; trusted; staged",
          ...[1, 2, 3].map((n) => `in the app; trusted; on trial, launch ${n} of 3`),
          "in the app; trusted; quarantined",
        ]);
      });
      const reported = said.trim().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual(
        reported.filter(({ what }) => what !== undefined).map(({ name }) => name),
        STEPS.map(({ title }) => title),
      );
    } finally {
      if (child.pid !== undefined && child.exitCode === null) process.kill(child.pid, "SIGINT");
    }
    assert.equal(await ended, 130, said);
  },
);
