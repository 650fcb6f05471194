import { useState } from "preact/hooks";
import { openCaptureWindow } from "../model/capture-window.ts";
import { isStopped, projectName, unsaved } from "../model/editor.ts";
import { openDialog } from "../model/page.ts";
import { scene } from "../model/scene.ts";
import {
  listScenes,
  nameOfScene,
  newScene,
  openScene,
  reloadScene,
  saveScene,
  saveSceneAs,
} from "../model/scenes.ts";
import { type Choice, Chooser } from "../parts/combo.tsx";
import { Icon } from "../parts/icon.tsx";
import { MenuButton } from "../parts/menu.tsx";

/** The project's name, with a menu of actions on its scenes and settings. */
export function ProjectMenu() {
  const [scenes, setScenes] = useState<readonly Choice[] | null>(null);
  const { path } = scene.value;
  const isLocked = !isStopped.value;
  const choose = async () => {
    const found = await listScenes();
    setScenes(found.map((one) => ({
      value: one,
      title: nameOfScene(one),
      note: one === path ? "open" : one,
      icon: "scene",
    })));
  };
  return (
    <div class="group brand">
      <MenuButton
        label="Project and scenes"
        class="project"
        isNamed
        items={[
          { title: "Open scene…", disabled: isLocked, onChoose: () => void choose() },
          { title: "New scene…", disabled: isLocked, onChoose: () => void newScene() },
          null,
          {
            title: "Save",
            keys: "Ctrl+S",
            disabled: isLocked,
            onChoose: () => void saveScene(),
          },
          { title: "Save as…", disabled: isLocked, onChoose: () => void saveSceneAs() },
          { title: "Reload from file", disabled: isLocked, onChoose: () => void reloadScene() },
          null,
          { title: "Draw captures in a window", onChoose: () => void openCaptureWindow() },
          { title: "Project settings…", onChoose: () => openDialog("settings") },
          { title: "Keys", keys: "?", onChoose: () => openDialog("keys") },
        ]}
      >
        <span class="names">
          <strong class="cut">{projectName.value.slice(0, 200) || "Slipway"}</strong>
          <span class="dim cut">
            {nameOfScene(path).slice(0, 200)}
            {unsaved.value && <span class="unsaved" title="Unsaved changes">•</span>}
          </span>
        </span>
        <Icon name="down" />
      </MenuButton>
      {scenes !== null && (
        <span class="anchor scenes">
          <Chooser
            label="Which scene to open"
            choices={scenes}
            onChoose={(chosen) => void openScene(chosen)}
            onClose={() => setScenes(null)}
          />
        </span>
      )}
    </div>
  );
}
