import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { dialog, type DialogName } from "../model/page.ts";
import { say } from "../model/notices.ts";
import { Dialog } from "../parts/dialog.tsx";

/** Content of a dialog; its script loads when it is first opened. */
type Content = FunctionComponent;

const DIALOGS: Readonly<
  Record<DialogName, { readonly title: string; readonly load: () => Promise<Content> }>
> = {
  build: {
    title: "Build support",
    load: async () => (await import("./all.ts")).BuildSupport,
  },
  devices: { title: "Devices", load: async () => (await import("./all.ts")).DevicesDialog },
  keys: { title: "Keys", load: async () => (await import("./all.ts")).Keys },
  settings: {
    title: "Project settings",
    load: async () => (await import("./all.ts")).Settings,
  },
  publish: { title: "Publish", load: async () => (await import("./all.ts")).Publish },
};

/** The dialog that is open, if one is. */
export function OpenDialog() {
  const name = dialog.value;
  const found = name === null ? null : DIALOGS[name];
  const [loaded, setLoaded] = useState<{ readonly name: DialogName; readonly Shown: Content }>();
  useEffect(() => {
    if (name === null || found === null) return;
    found.load().then((Shown) => setLoaded({ name, Shown }), () => {
      dialog.value = null;
      say("error", `Cannot open ${found.title}: its script did not load`, "Is Slipway running?");
    });
  }, [name]);
  if (name === null || found === null) return null;
  return (
    <Dialog key={name} title={found.title} kind="wide" onClose={() => dialog.value = null}>
      {loaded?.name === name ? <loaded.Shown /> : <p class="empty dim">Loading…</p>}
    </Dialog>
  );
}
