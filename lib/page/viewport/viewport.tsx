import { useEffect, useRef, useState } from "preact/hooks";
import { view as editorView } from "../model/editor.ts";
import { scene } from "../model/scene.ts";
import { Icon } from "../parts/icon.tsx";
import { later } from "../parts/later.tsx";
import { isGame, isPanning } from "./look.ts";
import { openPicture, picture } from "./picture.ts";
import { offRecord } from "./playing.ts";

// The overlays load with the picture, after the page.
const loadOverPicture = async () => (await import("./over-picture.tsx")).OverPicture;
const OverPicture = later(loadOverPicture);

/** The picture of the scene, with its overlays. */
export function ViewportPanel() {
  const canvases = useRef<HTMLDivElement>(null);
  const main = useRef<HTMLElement>(null);
  const [attempt, setAttempt] = useState(0);
  const { value: state } = picture;
  useEffect(() => {
    void loadOverPicture().catch(() => undefined); // a failure is reported where the overlays are shown
    return canvases.current ? openPicture(canvases.current) : undefined;
  }, [attempt]);
  return (
    <main
      ref={main}
      class={`viewport ${isGame.value || editorView.value.mode !== "3d" ? "flat" : ""} ${
        isPanning.value ? "panning" : ""
      }`}
      aria-label="Scene"
      tabIndex={0}
    >
      <div ref={canvases} class="canvases" key={attempt} />
      {state.kind === "open" && main.current !== null && (
        <OverPicture view={state.view} main={main.current} />
      )}
      <Said onRetry={() => setAttempt(attempt + 1)} />
    </main>
  );
}

/** Messages in the viewport. */
function Said({ onRetry }: { readonly onRetry: () => void }) {
  const { value: state } = picture;
  if (state.kind === "opening") return <p class="said dim" role="status">Opening the scene…</p>;
  if (state.kind === "failed") {
    return (
      <div class="said" role="alert">
        <p>
          <Icon name="error" /> {state.why}
        </p>
        <button type="button" class="button" onClick={onRetry}>Try again</button>
      </div>
    );
  }
  return (
    <>
      {offRecord.value && (
        <p class="telling">
          This game cannot be reproduced from its input: its reported state is shown
        </p>
      )}
      {editorView.value.mode === "3d" && !isGame.value && scene.value.entities.length === 0 && (
        <p class="said dim">The scene is empty. Add an entity in the hierarchy.</p>
      )}
    </>
  );
}
