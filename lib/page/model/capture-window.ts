import { captureWindow } from "../wire/service.ts";
import { say } from "./notices.ts";

/** Opens a window that draws agents' captures while it is open. */
export async function openCaptureWindow(): Promise<void> {
  const opened = open("", "_blank"); // within the click: later it would be a pop-up that is blocked
  const address = await captureWindow();
  if (opened === null || !address.ok) {
    opened?.close();
    return address.ok
      ? say("error", "The browser blocks the window", `Open ${address.value} by hand`)
      : say("error", address.error.detail, address.error.hint);
  }
  opened.location = address.value;
}
