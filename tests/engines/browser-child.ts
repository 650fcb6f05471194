import process from "node:process";
import { HeadlessBrowser } from "../../lib/project/captures/browser.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

// A service that has started a browser for its captures, until it is killed. It says when its browser
// has ended, and nothing else.

const [url = ""] = process.argv.slice(2);
const browser = new HeadlessBrowser({
  ...await loadRuntime(),
  onEnd: ({ detail }) => console.error(detail),
});
const started = await browser.ensure(() => url);
if (!started.ok) throw new Error(started.error.detail);
