import { useEffect } from "preact/hooks";
import {
  duplicateSelected,
  redo,
  removeSelected,
  save,
  setView,
  step,
  togglePlay,
  undo,
} from "./model/actions.ts";
import { OpenDialog } from "./dialogs/open-dialog.tsx";
import { unseen } from "./model/logs.ts";
import { bottom, type BottomName, dialog, sizes } from "./model/page.ts";
import { Activity } from "./panels/activity.tsx";
import { Assets } from "./panels/assets.tsx";
import { Console } from "./panels/console.tsx";
import { Diagnose } from "./panels/diagnose.tsx";
import { Hierarchy } from "./panels/hierarchy.tsx";
import { Inspector } from "./panels/inspector.tsx";
import { Journal } from "./panels/journal.tsx";
import { Toolbar } from "./panels/toolbar.tsx";
import { Notices } from "./parts/notices.tsx";
import { Split } from "./parts/split.tsx";
import { Tabs } from "./parts/tabs.tsx";
import { Viewport } from "./viewport/viewport.tsx";

/** The whole page. */
export function Shell() {
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const badge = unseen.value > 0 ? String(unseen.value) : undefined;
  return (
    <div class="shell">
      <Toolbar />
      <div class="middle">
        <Hierarchy />
        <Split
          name="Width of the hierarchy"
          from="left"
          least={160}
          most={600}
          onMove={(left) => sizes.value = { ...sizes.value, left }}
        />
        <Viewport />
        <Split
          name="Width of the inspector"
          from="right"
          least={220}
          most={700}
          onMove={(right) => sizes.value = { ...sizes.value, right }}
        />
        <Inspector />
      </div>
      <Split
        name="Height of the panels"
        from="bottom"
        least={80}
        most={700}
        onMove={(bottom) => sizes.value = { ...sizes.value, bottom }}
      />
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
          ]}
        >
          <BottomPanel name={bottom.value} />
        </Tabs>
      </div>
      <OpenDialog />
      <Notices />
    </div>
  );
}

function BottomPanel({ name }: { readonly name: BottomName }) {
  switch (name) {
    case "console":
      return <Console />;
    case "activity":
      return <Activity />;
    case "diagnose":
      return <Diagnose />;
    case "journal":
      return <Journal />;
    default:
      return <Assets />;
  }
}

/** Keys that work wherever no text is typed. */
function onKey(event: KeyboardEvent): void {
  const { key, target, shiftKey } = event;
  const isTyping = target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
  const isChord = event.ctrlKey || event.metaKey;
  if (dialog.value !== null) return;
  const done = isChord ? chord(key.toLowerCase(), shiftKey, isTyping) : !isTyping && plain(key);
  if (done) event.preventDefault();
}

function chord(key: string, shift: boolean, isTyping: boolean): boolean {
  switch (key) {
    case "s":
      void save();
      return true;
    case "p":
      void togglePlay();
      return true;
    case "z":
      if (isTyping) return false;
      void (shift ? redo() : undo());
      return true;
    case "y":
      if (isTyping) return false;
      void redo();
      return true;
    case "d":
      void duplicateSelected();
      return true;
    default:
      return false;
  }
}

function plain(key: string): boolean {
  switch (key) {
    case "w":
      setView({ gizmo: "translate" });
      return true;
    case "e":
      setView({ gizmo: "rotate" });
      return true;
    case "r":
      setView({ gizmo: "scale" });
      return true;
    case ".":
      void step();
      return true;
    case "Delete":
      void removeSelected();
      return true;
    default:
      return false;
  }
}
