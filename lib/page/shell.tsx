import { useEffect } from "preact/hooks";
import { OpenDialog } from "./dialogs/open-dialog.tsx";
import { importDropped } from "./model/drop-import.ts";
import { filesIn } from "./model/dropped-files.ts";
import { onKey } from "./model/keys.ts";
import { unseen } from "./model/logs.ts";
import { bottom, type BottomName, dialog } from "./model/page.ts";
import { question } from "./model/questions.ts";
import { Assets } from "./panels/assets.tsx";
import { ConsolePanel } from "./panels/console.tsx";
import { Hierarchy } from "./panels/hierarchy.tsx";
import { Inspector } from "./panels/inspector.tsx";
import { Toolbar } from "./panels/toolbar.tsx";
import { later } from "./parts/later.tsx";
import { Notices } from "./parts/notices.tsx";
import { AskedQuestion } from "./parts/question.tsx";
import { Split } from "./parts/split.tsx";
import { Tabs } from "./parts/tabs.tsx";
import { ViewportPanel } from "./viewport/viewport.tsx";

const Activity = later(async () => (await import("./panels/further.ts")).Activity);
const Diagnose = later(async () => (await import("./panels/further.ts")).Diagnose);
const Journal = later(async () => (await import("./panels/further.ts")).Journal);
const Timeline = later(async () => (await import("./panels/further.ts")).Timeline);
const Watch = later(async () => (await import("./panels/further.ts")).Watch);

/** The page. */
export function Shell() {
  useEffect(() => {
    const ends = new AbortController();
    const { signal } = ends;
    document.addEventListener("keydown", onKey, { signal });
    // Files that are dropped anywhere are imported: a browser would leave the page for them.
    document.addEventListener("dragover", (event) => takesFiles(event), { signal });
    document.addEventListener("drop", (event) => {
      const { dataTransfer } = event;
      if (takesFiles(event) && dataTransfer) {
        void filesIn(dataTransfer).then((all) => importDropped(all));
      }
    }, { signal });
    return () => ends.abort();
  }, []);
  const badge = unseen.value > 0 ? String(unseen.value) : undefined;
  return (
    <div class="shell">
      <Toolbar />
      <div class="middle">
        <section class="side" aria-label="Hierarchy">
          <Hierarchy />
          <Split name="Width of the hierarchy" from="left" least={160} most={600} />
        </section>
        <ViewportPanel />
        <section class="side" aria-label="Inspector">
          <Split name="Width of the inspector" from="right" least={220} most={700} />
          <Inspector />
        </section>
      </div>
      <section class="side" aria-label="Panels">
        <Split name="Height of the panels" from="bottom" least={80} most={700} />
        <div class="bottom">
          <Tabs<BottomName>
            label="Panels"
            current={bottom.value}
            onChange={(name) => bottom.value = name}
            tabs={[
              { name: "assets", title: "Assets" },
              { name: "console", title: "Console", badge },
              { name: "activity", title: "Activity" },
              { name: "diagnose", title: "Diagnose" },
              { name: "journal", title: "Journal" },
              { name: "watch", title: "Watch" },
              { name: "timeline", title: "Timeline" },
            ]}
          >
            <BottomPanel name={bottom.value} />
          </Tabs>
        </div>
      </section>
      <OpenDialog />
      <AskedQuestion />
      {dialog.value === null && question.value === null && <Notices />}
    </div>
  );
}

/** Accepts dragged files that no panel handles itself. */
function takesFiles(event: DragEvent): boolean {
  const takes = !event.defaultPrevented && event.dataTransfer?.types.includes("Files") === true;
  if (takes) event.preventDefault();
  return takes;
}

function BottomPanel({ name }: { readonly name: BottomName }) {
  switch (name) {
    case "console":
      return <ConsolePanel />;
    case "activity":
      return <Activity />;
    case "diagnose":
      return <Diagnose />;
    case "journal":
      return <Journal />;
    case "timeline":
      return <Timeline />;
    case "watch":
      return <Watch />;
    default:
      return <Assets />;
  }
}
