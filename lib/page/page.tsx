import { render } from "preact";
import { follow } from "./model/following.ts";
import { SignIn } from "./panels/sign-in.tsx";
import { Shell } from "./shell.tsx";
import { fetchProducer, openSession } from "./wire/service.ts";

// The editor's page: the entry of its script.

await openWithToken();
const view = await fetchProducer("view");
document.body.replaceChildren(); // the loading screen
if (!view.ok && view.error.status === 401) {
  render(<SignIn why={view.error.detail} />, document.body);
} else {
  render(<Shell />, document.body);
  await follow();
}

/** An address may bring the service's token in its fragment, which no request carries. */
async function openWithToken(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  globalThis.history.replaceState(null, "", location.pathname);
  await openSession(token);
}
