import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../../core/problem.ts";
import { settingsStamp } from "../model/editor.ts";
import { listScenes, nameOfScene } from "../model/scenes.ts";
import {
  changeSetting,
  loadSettings,
  type Setting,
  settingFrom,
  settingIn,
  SETTINGS,
  settingText,
} from "../model/settings.ts";

/** The settings of the project; each is saved when its field loses the focus, as one undo step. */
export function Settings() {
  const [settings, setSettings] = useState<unknown>(null);
  const [problem, setProblem] = useState("");
  const [scenes, setScenes] = useState<readonly string[]>([]);
  const stamp = settingsStamp.value;
  useEffect(() => {
    let isOld = false;
    void loadSettings().then((found) => {
      if (isOld) return;
      const refused = "detail" in found && "hint" in found;
      setProblem(refused ? `${String(found.detail)}. ${String(found.hint)}` : "");
      if (!refused) setSettings(found);
    });
    return () => isOld = true;
  }, [stamp]);
  useEffect(() => void listScenes().then(setScenes), []);
  if (settings === null) return <p class="empty dim">{problem === "" ? "Loading…" : problem}</p>;
  return (
    <div class="settings">
      {Object.entries(SETTINGS).map(([group, list]) => (
        <section key={group} aria-label={group}>
          <h3>{group}</h3>
          {list.map((setting) => (
            <SettingRow
              key={setting.at.join(".")}
              setting={setting}
              value={settingIn(settings, setting.at)}
              scenes={scenes}
            />
          ))}
        </section>
      ))}
    </div>
  );
}

function SettingRow({ setting, value, scenes }: {
  readonly setting: Setting;
  readonly value: unknown;
  readonly scenes: readonly string[];
}) {
  const [refused, setRefused] = useState<Problem | null>(null);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const { title, doc, kind, at } = setting;
  const shown = settingText(setting, value);
  const id = `setting-${at.join("-")}`;
  const set = async (text: string) => {
    if (text.trim() === shown) return setRefused(null);
    const done = await changeSetting(setting, settingFrom(setting, text));
    setRefused(done.refused);
    setWarnings(done.warnings);
  };
  const common = {
    id,
    "aria-label": title,
    "aria-describedby": `${id}-doc`,
    "aria-invalid": refused !== null,
  };
  return (
    <div class="setting">
      <label for={id} class="field-title">{title}</label>
      <div>
        {kind === "boolean"
          ? (
            <input
              {...common}
              type="checkbox"
              checked={value === true}
              onChange={({ currentTarget }) => void set(String(currentTarget.checked))}
            />
          )
          : kind === "scene"
          ? (
            <select
              {...common}
              value={shown}
              onChange={({ currentTarget }) => void set(currentTarget.value)}
            >
              <option value="">none</option>
              {[...new Set([...scenes, shown])].filter((path) => path !== "").map((path) => (
                <option key={path} value={path}>{nameOfScene(path)}</option>
              ))}
            </select>
          )
          : kind === "commands" || kind === "words"
          ? (
            <textarea
              {...common}
              key={shown}
              rows={Math.min(6, shown.split("\n").length + 1)}
              defaultValue={shown}
              onChange={({ currentTarget }) => void set(currentTarget.value)}
            />
          )
          : (
            <input
              {...common}
              key={shown}
              type="text"
              defaultValue={shown}
              onChange={({ currentTarget }) => void set(currentTarget.value)}
            />
          )}
        <p class="dim" id={`${id}-doc`}>{doc}</p>
        {refused !== null && <p class="refused" role="alert">{refused.detail}. {refused.hint}</p>}
        {warnings.map((text) => <p key={text} class="warned" role="status">{text}</p>)}
      </div>
    </div>
  );
}
