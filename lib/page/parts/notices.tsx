import { dismiss, notices } from "../model/notices.ts";
import { Icon, IconButton } from "./icon.tsx";

/** What is said to the person, in a corner; read aloud as it comes. */
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
