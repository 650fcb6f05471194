import { dismiss, notices } from "../model/notices.ts";
import { Icon, IconButton } from "./icon.tsx";

/** Notices in a corner; read aloud as they appear. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ key, kind, text, hint }) => (
        <div key={key} class={`notice ${kind}`}>
          <Icon name={kind === "error" ? "error" : "info"} />
          <div>
            <p>{text}</p>
            {hint !== "" && <p class="dim">{hint}</p>}
          </div>
          <IconButton icon="close" label="Close" kind="quiet" onClick={() => dismiss(key)} />
        </div>
      ))}
    </div>
  );
}
